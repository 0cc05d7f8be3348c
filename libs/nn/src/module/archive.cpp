// Module::save and Module::load.
#include <algorithm>

#include <reel/autograd/archive.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/nn/module.hpp>

#include "module/hooks/tables.hpp"

namespace reel::nn {

namespace {
constexpr std::string_view metadata_attribute = "_metadata";

/// Is it what `state_dict()` gives, rather than what `save` writes? Versions or dotted names tell, archives have dicts.
bool is_state_dict(const Value& v) {
    if (!v.isGenericDict()) return false;
    const ValueDict& d = v.toGenericDict();
    if (d.attribute(metadata_attribute)) return true;
    bool dotted = false;
    for (const auto& [key, value] : d) {
        if (!key.isString() || value.isGenericDict()) return false;
        dotted |= key.toStringRef().find('.') != std::string::npos;
    }
    return dotted;
}
[[noreturn]] void refuse(const Module& m, const char* what, const serialize::InputArchive& archive,
                         const LoadLists& lists) {
    std::string text = str("Error(s) in loading ", what, " for ", m.repr_name(),
                           archive.origin().empty() ? "" : " from " + archive.origin(), ":");
    if (!lists.missing.empty()) {
        text += "\n\tMissing key(s): ";
        for (std::size_t i = 0; i < lists.missing.size(); ++i) text += (i ? ", \"" : "\"") + lists.missing[i] + "\"";
        text += ".";
    }
    for (const std::string& e : lists.errors) text += "\n\t" + e;
    REEL_THROW(Error, text);
}
/// Would a state dict hold anything of it?
bool has_state(const Module& m) {
    if (!m.parameter_items("", true, true).empty() || !m.buffer_items("", true, true).empty()) return true;
    const auto all = m.module_items("", true);
    return std::any_of(all.begin(), all.end(), [](const auto& item) { return item.second->has_extra_state(); });
}
} // namespace

void Module::save(serialize::OutputArchive& archive) const {
    auto& self = const_cast<Module&>(*this); // only read; state dicts hand out live tensors, hence are not const
    StateDict own;
    self.save_own_state(own, "", true);
    for (const auto& item : own) archive.write(item.key(), *item);
    bool standard = true;
    for (const auto& child : own_children()) {
        if (!*child) continue;
        if (!(*child)->is_serializable()) {
            standard = standard && !has_state(**child);
            continue;
        }
        serialize::OutputArchive nested;
        (*child)->save(nested);
        archive.write(child.key(), nested);
    }
    if (standard) archive.mark_standard();
}

void Module::load(serialize::InputArchive& archive) {
    if (is_state_dict(archive.value())) return load_from_state_dict(archive);
    serialize::LoadGuard guard(archive);
    // this module's own entries, by their full paths
    const std::string prefix = archive.path().empty() ? std::string() : archive.path() + ".";
    StateDict map;
    for (const std::string& key : archive.keys()) {
        Value v;
        if (archive.try_read(key, v)) map.insert_or_assign(prefix + key, v);
    }
    StateDict own;
    save_own_state(own, "", false);
    for (const auto& item : own)
        if (item->isTensor()) guard.keep(item->toTensor());
    if (accepts_extra_state() && has_extra_state())
        guard.on_failure([this, before = get_extra_state()] { set_extra_state(before); });
    LoadLists lists;
    load_own_state(map, prefix, ValueDict{{"version", Value(state_version())}}, true, false, lists);
    if (!lists.missing.empty() || !lists.errors.empty()) refuse(*this, "the archive", archive, lists);
    const auto children = own_children(); // an override may change the table
    for (const auto& child : children) {
        if (!*child || !(*child)->is_serializable()) continue;
        serialize::InputArchive nested;
        archive.read(child.key(), nested);
        (*child)->load(nested);
    }
    guard.commit();
}

void Module::load_from_state_dict(serialize::InputArchive& archive) {
    const StateDict dict = StateDict::from_value(archive.value());
    // Values to put back are only kept where something may go wrong: a GB of weights is not copied for nothing.
    StateDict now; // as state_dict() gives it, without its hooks
    const auto all = module_items("", false);
    for (const auto& [path, m] : all) m->save_own_state(now, path.empty() ? path : path + ".", false);
    bool certain = true;
    for (const auto& item : now) {
        const Value* v = dict.find(item.key());
        certain = certain && item->isTensor() && v && v->isTensor() &&
                  v->toTensor().sizes().equals(item->toTensor().sizes()) &&
                  v->toTensor().scalar_type() == item->toTensor().scalar_type();
    }
    serialize::LoadGuard guard(archive);
    for (const auto& [path, m] : all) {
        certain = certain && !(m->hooks_ && (detail::any(m->hooks_->load_pre) || detail::any(m->hooks_->load_post)));
        if (m->accepts_extra_state() && m->has_extra_state())
            guard.on_failure([m = m, before = m->get_extra_state()] { m->set_extra_state(before); });
    }
    if (!certain)
        for (const auto& item : now)
            if (item->isTensor()) guard.keep(item->toTensor());
    LoadLists lists;
    lists.missing = load_state_dict(dict, false).missing_keys;
    if (!lists.missing.empty()) refuse(*this, "state_dict", archive, lists);
    guard.commit();
}

} // namespace reel::nn
