// State dictionaries and their hooks.
#include "hooks/interp.hpp"

namespace replay {

using namespace reel;

namespace {

/// The dict as a value that a body may edit; `take_back` writes the edits into the state dict.
Value as_value(const nn::StateDict& d) { return d.to_value(); }
void take_back(nn::StateDict& d, const Value& edited) {
    auto metadata = std::move(d.metadata);
    d.clear();
    for (const auto& [key, value] : edited.toGenericDict()) d.insert_or_assign(key.toStringRef(), value);
    d.metadata = std::move(metadata);
}
std::vector<std::string> strings(const Value& list) {
    std::vector<std::string> r;
    for (const Value& v : list.elements()) r.push_back(v.toStringRef());
    return r;
}
json::array keys_json(const nn::StateDict& d) {
    json::array a;
    for (const auto& item : d) a.push_back(json::string(item.key()));
    return a;
}
json::array list_json(const std::vector<std::string>& v) {
    json::array a;
    for (const std::string& s : v) a.push_back(json::string(s));
    return a;
}

} // namespace

RemovableHandle register_state_hook(Interp& i, const std::string& kind, const std::string& label, const ModulePtr& m) {
    if (kind == "state_dict_pre")
        return m->register_state_dict_pre_hook([&i, label](Module& self, const std::string& prefix, bool keep_vars) {
            i.fire(label, &self, {{"prefix", Value(prefix)}, {"keep_vars", Value(keep_vars)}},
                   {json::string(prefix), keep_vars});
        });
    if (kind == "state_dict_post")
        return m->register_state_dict_post_hook(
            [&i, label](Module& self, nn::StateDict& d, const std::string& prefix, ValueDict& metadata) {
                const Value dict = as_value(d), meta(metadata);
                Value r = i.fire(label, &self, {{"dict", dict}, {"prefix", Value(prefix)}, {"metadata", meta}},
                                 {keys_json(d), json::string(prefix), i.to_json(meta)});
                take_back(d, dict);
                metadata = meta.toGenericDict();
                return r;
            });
    if (kind == "load_state_dict_pre")
        return m->register_load_state_dict_pre_hook([&i, label](Module& self, nn::StateDict& d,
                                                                const std::string& prefix, const ValueDict& metadata,
                                                                bool strict, nn::LoadLists& lists) {
            const Value dict = as_value(d), meta(metadata), missing = string_list(lists.missing),
                        unexpected = string_list(lists.unexpected), errors = string_list(lists.errors);
            i.fire(label, &self,
                   {{"dict", dict},
                    {"prefix", Value(prefix)},
                    {"metadata", meta},
                    {"strict", Value(strict)},
                    {"missing", missing},
                    {"unexpected", unexpected},
                    {"errors", errors}},
                   {keys_json(d), json::string(prefix), i.to_json(meta), strict, list_json(lists.missing),
                    list_json(lists.unexpected), std::int64_t(lists.errors.size())});
            take_back(d, dict);
            lists = {strings(missing), strings(unexpected), strings(errors)};
        });
    return m->register_load_state_dict_post_hook([&i, label](Module& self, nn::IncompatibleKeys& keys) {
        const Value missing = string_list(keys.missing_keys), unexpected = string_list(keys.unexpected_keys);
        Value r = i.fire(label, &self, {{"missing", missing}, {"unexpected", unexpected}},
                         {list_json(keys.missing_keys), list_json(keys.unexpected_keys)});
        keys = {strings(missing), strings(unexpected)};
        return r;
    });
}

void add_state_instructions(InstructionTable& t) {
    t["state_dict"] = [](Interp& i, Frame& f, const json::object& ins) {
        const ModulePtr m = i.module(ins, f);
        const std::string prefix = text(ins, "prefix");
        const bool keep_vars = flag(ins, "keep_vars", false);
        Value result;
        nn::StateDict d;
        if (const json::value* destination = ins.if_contains("destination"); destination && !destination->is_null()) {
            result = i.operand(*destination, f);
            if (!result.isGenericDict()) throw Skip{};
            d = nn::StateDict::from_value(result);
            const auto known = i.metadata.find(&result.toGenericDict());
            d.metadata = known == i.metadata.end() ? nullptr : known->second.metadata;
            m->state_dict_into(d, prefix, keep_vars);
            result.toGenericDict() = d.to_value().toGenericDict();
        } else {
            d = m->state_dict(prefix, keep_vars);
            result = d.to_value();
        }
        if (d.metadata) i.metadata[&result.toGenericDict()] = {result, d.metadata};
        return result;
    };
    t["metadata"] = [](Interp& i, Frame& f, const json::object& ins) {
        const Value v = i.in(ins, f, 0);
        if (!v.isGenericDict()) throw Skip{};
        const auto known = i.metadata.find(&v.toGenericDict());
        if (known == i.metadata.end()) return Value();
        ValueDict d;
        for (const auto& item : *known->second.metadata) d.set(Value(item.key()), Value(*item));
        return Value(std::move(d));
    };
    t["load_state_dict"] = [](Interp& i, Frame& f, const json::object& ins) {
        const ModulePtr m = i.module(ins, f);
        const Value v = i.in(ins, f, 0);
        nn::StateDict d = nn::StateDict::from_value(v);
        // a copy of a dict has no metadata, whatever its attributes say
        const auto known = i.metadata.find(&v.toGenericDict());
        d.metadata = known == i.metadata.end() ? nullptr : known->second.metadata;
        const nn::IncompatibleKeys keys = m->load_state_dict(d, flag(ins, "strict", true), flag(ins, "assign", false));
        return Value(ValueDict{{"missing_keys", string_list(keys.missing_keys)},
                               {"unexpected_keys", string_list(keys.unexpected_keys)}});
    };
}

} // namespace replay
