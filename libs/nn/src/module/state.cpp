// state_dict and load_state_dict.
#include <ostream>
#include <unordered_map>
#include <unordered_set>

#include <reel/autograd/grad_mode.hpp>
#include <reel/nn/module.hpp>

#include "module/hooks/tables.hpp"
#include "module/members.hpp"

namespace reel::nn {

namespace {
constexpr std::string_view metadata_attribute = "_metadata";
}
const Tensor& StateDict::tensor(const std::string& key) const {
    const Value& v = (*this)[key];
    REEL_CHECK_TYPE(v.isTensor(), "state dict: '", key, "' is ", v.repr(), ", not a tensor");
    return v.toTensor();
}
Value StateDict::to_value() const {
    ValueDict d;
    for (const auto& item : *this) d.set(Value(item.key()), *item);
    if (metadata) {
        ValueDict versions;
        for (const auto& item : *metadata) versions.set(Value(item.key()), Value(*item));
        d.set_attribute(metadata_attribute, Value(std::move(versions)));
    }
    return Value(std::move(d));
}
StateDict StateDict::from_value(const Value& dict) {
    REEL_CHECK_TYPE(dict.isGenericDict(), "load_state_dict: expected a mapping, got ", dict.kind_name());
    StateDict s;
    for (const auto& [key, value] : dict.toGenericDict()) s.insert_or_assign(key.toStringRef(), value);
    const Value* versions = dict.toGenericDict().attribute(metadata_attribute);
    if (versions && versions->isGenericDict()) {
        s.metadata = std::make_shared<StateMetadata>("Module path");
        for (const auto& [path, version] : versions->toGenericDict())
            if (path.isString() && version.isGenericDict())
                s.metadata->insert_or_assign(path.toStringRef(), version.toGenericDict());
    }
    return s;
}
std::ostream& operator<<(std::ostream& os, const IncompatibleKeys& keys) {
    if (keys.missing_keys.empty() && keys.unexpected_keys.empty()) return os << "<All keys matched successfully>";
    const auto list = [&](const std::vector<std::string>& v) {
        os << '[';
        for (std::size_t i = 0; i < v.size(); ++i) os << (i ? ", '" : "'") << v[i] << '\'';
        os << ']';
    };
    os << "IncompatibleKeys(missing_keys=";
    list(keys.missing_keys);
    os << ", unexpected_keys=";
    list(keys.unexpected_keys);
    return os << ')';
}

Value Module::get_extra_state() const {
    REEL_THROW(Error, repr_name(), ": get_extra_state was called, but the class does not override it");
}
void Module::set_extra_state(const Value&) {
    REEL_THROW(Error, repr_name(), ": set_extra_state was called, but the class does not override it");
}

namespace {
const std::string extra_state_key = "_extra_state";
std::string path_of(const std::string& prefix) { return prefix.empty() ? prefix : prefix.substr(0, prefix.size() - 1); }
using Names = std::unordered_set<std::string_view>;

/// The entries of a module's children, by their names: for each the part of `map` under `prefix + name + "."`.
std::unordered_map<std::string, StateDict> parts_of_children(const StateDict& map, const std::string& prefix) {
    std::unordered_map<std::string, StateDict> parts;
    for (const auto& item : map) {
        const std::string& key = item.key();
        if (!key.starts_with(prefix)) continue;
        const std::size_t dot = key.find('.', prefix.size());
        if (dot != std::string::npos) parts[key.substr(prefix.size(), dot - prefix.size())].insert(key, *item);
    }
    return parts;
}
} // namespace

void Module::save_own_state(StateDict& destination, const std::string& prefix, bool keep_vars) {
    const auto put = [&](const std::string& name, const Tensor& t) {
        destination.insert_or_assign(prefix + name, Value(keep_vars ? t : t.detach()));
    };
    for (const auto& p : own_parameters())
        if (p->defined()) put(p.key(), *p);
    const Names unsaved(non_persistent_.begin(), non_persistent_.end());
    for (const auto& b : buffers_)
        if (b->defined() && !unsaved.contains(b.key())) put(b.key(), *b);
    if (has_extra_state()) destination.insert_or_assign(prefix + extra_state_key, get_extra_state());
}

StateDict Module::state_dict(const std::string& prefix, bool keep_vars) {
    StateDict d;
    d.metadata = std::make_shared<StateMetadata>("Module path");
    state_dict_into(d, prefix, keep_vars);
    return d;
}
void Module::state_dict_into(StateDict& destination, const std::string& prefix, bool keep_vars) {
    ValueDict local{{"version", Value(state_version())}};
    if (destination.metadata) destination.metadata->insert_or_assign(path_of(prefix), local);
    if (hooks_)
        if (const auto hooks = detail::snapshot(hooks_->state_dict_pre))
            for (const auto& r : *hooks) r.fn(*this, prefix, keep_vars);
    save_own_state(destination, prefix, keep_vars);
    for (const auto& child : own_children())
        if (*child) (*child)->state_dict_into(destination, prefix + child.key() + ".", keep_vars);
    if (hooks_)
        if (const auto hooks = detail::snapshot(hooks_->state_dict_post))
            for (const auto& r : *hooks) {
                const Value v = r.fn(*this, destination, prefix, local);
                REEL_CHECK(v.isNone(), repr_name(), ": a state_dict post-hook must return none, got ", v.kind_name(),
                           "; edit the dict in place");
                if (destination.metadata) destination.metadata->insert_or_assign(path_of(prefix), local);
            }
}

/// One key of a load (M-41). With `assign` the entry is replaced, as an attribute assignment would: registration hooks
/// run (C-18).
void Module::load_one(const std::string& name, bool parameter, const Value& source, const std::string& key, bool assign,
                      LoadLists& lists) {
    if (!source.isTensor()) {
        lists.errors.push_back(str("while loading '", key, "': expected a tensor, got ", source.kind_name()));
        return;
    }
    const Tensor target = (parameter ? parameters_ : buffers_)[name];
    Tensor t = source.toTensor();
    if (target.dim() == 0 && t.dim() == 1 && t.numel() == 1) t = t.select(0, 0);
    if (!t.sizes().equals(target.sizes())) {
        lists.errors.push_back(str("size mismatch for ", key, ": the checkpoint has shape ", t.sizes(),
                                   ", the module has ", target.sizes()));
        return;
    }
    try {
        NoGradGuard guard;
        if (!assign) {
            if (target.is_meta() && !t.is_meta())
                REEL_WARN("while loading '", key,
                          "': the module's tensor is on the meta device and has no data to copy "
                          "into, so nothing is loaded; pass assign = true, or call to_empty() first");
            target.copy_(t);
            return;
        }
        check_replaceable(name);
        if (parameter) {
            const bool rg = target.requires_grad();
            if (!Parameter::is(t)) t = Parameter(t, rg);
            else t.requires_grad_(rg);
        }
        const auto& hooks = parameter ? detail::registration_hooks().parameter : detail::registration_hooks().buffer;
        if (hooks) t = detail::run_registration_hooks(hooks, *this, name, Value(t)).toTensor();
        put_tensor(name, parameter ? detail::EntryKind::Parameter : detail::EntryKind::Buffer, t);
    } catch (const std::exception& e) {
        lists.errors.push_back(str("while copying '", key, "', of shape ", target.sizes(), " in the module and ",
                                   t.sizes(), " in the checkpoint: ", e.what()));
    }
}

void Module::load_own_state(StateDict& map, const std::string& prefix, const ValueDict&, bool, bool assign,
                            LoadLists& lists) {
    std::size_t found = 0;
    const auto one = [&](const std::string& name, bool parameter) {
        const std::string key = prefix + name;
        const Value* const v = map.find(key);
        if (!v) return lists.missing.push_back(key);
        ++found;
        load_one(name, parameter, *v, key, assign, lists);
    };
    const Names unsaved(non_persistent_.begin(), non_persistent_.end());
    const auto persistent = [&](const std::string& name) { return !unsaved.contains(name); };
    follow_members();
    for (const std::string& name : parameters_.keys())
        if (parameters_[name].defined()) one(name, true);
    for (const std::string& name : buffers_.keys())
        if (buffers_[name].defined() && persistent(name)) one(name, false);
    const std::string extra = prefix + extra_state_key;
    if (accepts_extra_state()) {
        if (const Value* v = map.find(extra)) {
            ++found;
            set_extra_state(*v);
        } else lists.missing.push_back(extra);
    } else if (map.contains(extra)) lists.unexpected.push_back(extra);
    if (found == map.size()) return; // none is left to ask about
    for (const auto& item : map) {
        const std::string& key = item.key();
        if (!key.starts_with(prefix) || key == extra) continue;
        const std::string rest = key.substr(prefix.size());
        const std::size_t dot = rest.find('.');
        const std::string first = rest.substr(0, dot);
        const auto candidate = [&] {
            const Tensor* p = parameters_.find(first);
            if (p && p->defined()) return true;
            const Tensor* b = buffers_.find(first);
            return b && b->defined() && persistent(first);
        };
        if (dot != std::string::npos ? !children_.contains(first) : !candidate()) lists.unexpected.push_back(key);
    }
}

void Module::load_recursive(StateDict& map, const std::string& prefix, bool assign, LoadLists& lists,
                            const std::shared_ptr<StateMetadata>& metadata) {
    ValueDict local;
    if (metadata)
        if (const ValueDict* d = metadata->find(path_of(prefix))) local = *d;
    if (hooks_)
        if (const auto hooks = detail::snapshot(hooks_->load_pre))
            for (const auto& r : *hooks) r.fn(*this, map, prefix, local, true, lists);
    load_own_state(map, prefix, local, true, assign, lists);
    const auto children = own_children(); // a hook may change the table
    auto parts = parts_of_children(map, prefix);
    for (const auto& child : children)
        if (*child) (*child)->load_recursive(parts[child.key()], prefix + child.key() + ".", assign, lists, metadata);
    if (hooks_)
        if (const auto hooks = detail::snapshot(hooks_->load_post)) {
            IncompatibleKeys keys{lists.missing, lists.unexpected};
            for (const auto& r : *hooks) {
                const Value v = r.fn(*this, keys);
                REEL_CHECK(v.isNone(), repr_name(), ": a load_state_dict post-hook must return none, got ",
                           v.kind_name(), "; edit the lists in place");
            }
            lists.missing = std::move(keys.missing_keys);
            lists.unexpected = std::move(keys.unexpected_keys);
        }
}

IncompatibleKeys Module::load_state_dict(const StateDict& dict, bool strict, bool assign) {
    StateDict map(dict); // entries are never modified, hooks see the copy (M-39)
    LoadLists lists;
    load_recursive(map, "", assign, lists, dict.metadata);
    const auto line = [](const char* what, const std::vector<std::string>& keys) {
        std::string s = str(what, " key(s) in state_dict: ");
        for (std::size_t i = 0; i < keys.size(); ++i) s += (i ? ", \"" : "\"") + keys[i] + "\"";
        return s + ".";
    };
    if (strict) {
        if (!lists.unexpected.empty()) lists.errors.insert(lists.errors.begin(), line("Unexpected", lists.unexpected));
        if (!lists.missing.empty()) lists.errors.insert(lists.errors.begin(), line("Missing", lists.missing));
    }
    if (!lists.errors.empty()) {
        std::string text = "Error(s) in loading state_dict for " + repr_name() + ":";
        for (const std::string& e : lists.errors) text += "\n\t" + e;
        REEL_THROW(Error, text);
    }
    return {std::move(lists.missing), std::move(lists.unexpected)};
}

} // namespace reel::nn
