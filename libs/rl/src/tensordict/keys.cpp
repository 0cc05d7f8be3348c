// Names: listing them, and dictionaries with some of them.
#include <algorithm>

#include <reel/rl/tensordict.hpp>

#include "tensordict/storing.hpp"

namespace reel::rl {

using namespace detail;

namespace {

/// Calls `visit(key, entry)`: the children, then their dictionary.
template <class V> void walk(const TensorDict& dict, bool nested, bool leaves_only, const Path& path, const V& visit) {
    for (const DictImpl::Slot& slot : DictImpl::of(dict).slots) {
        const Path own(path, slot.name);
        if (slot.entry.is_dict() && nested) walk(slot.entry.dict(), nested, leaves_only, own, visit);
        if (slot.entry.is_tensor() || !leaves_only) visit(own, slot.entry);
    }
}

/// Dictionaries again, without the entry under `path`.
TensorDict without(const TensorDict& dict, ArrayRef<std::string> path) {
    const TensorDict copy = DictImpl::handle(std::make_shared<DictImpl>(DictImpl::of(dict)));
    DictImpl& impl = DictImpl::of(copy);
    DictImpl::Slot* slot = impl.find(path[0]);
    if (path.size() == 1) impl.erase(slot);
    else slot->entry = without(slot->entry.dict(), path.slice(1));
    return copy;
}
bool has_tensor(const TensorDict& dict) {
    const std::vector<DictImpl::Slot>& slots = DictImpl::of(dict).slots;
    return std::any_of(slots.begin(), slots.end(), [](const DictImpl::Slot& slot) {
        return slot.entry.is_tensor() || has_tensor(slot.entry.dict());
    });
}

void check_separator(const char* op, const std::string& separator) {
    REEL_CHECK_VALUE(!separator.empty(), "TensorDict::", op, ": the separator is empty");
}
/// "next.reward" as {"next", "reward"}.
NestedKey split_name(const std::string& name, const std::string& separator) {
    std::vector<std::string> path;
    std::size_t begin = 0;
    for (std::size_t end; (end = name.find(separator, begin)) != std::string::npos; begin = end + separator.size())
        path.push_back(name.substr(begin, end - begin));
    path.push_back(name.substr(begin));
    for (const std::string& part : path)
        REEL_CHECK_WITH(KeyError, !part.empty(), "TensorDict::unflatten_keys: '", name, "' has an empty part between '",
                        separator, "'");
    return NestedKey(path);
}

} // namespace

std::vector<NestedKey> TensorDict::keys(bool nested, bool leaves_only) const {
    std::vector<NestedKey> keys;
    keys.reserve(size());
    walk(*this, nested, leaves_only, Path(), [&](const Path& p, const Entry&) { keys.push_back(p.key()); });
    return keys;
}
std::vector<TensorDict::Item> TensorDict::items(bool nested, bool leaves_only) const {
    std::vector<Item> items;
    items.reserve(size());
    walk(*this, nested, leaves_only, Path(), [&](const Path& p, const Entry& e) { items.emplace_back(p.key(), e); });
    return items;
}

TensorDict TensorDict::select(const std::vector<NestedKey>& keys, bool strict) const {
    const DictImpl& impl = DictImpl::of(*this);
    const TensorDict result = DictImpl::handle(DictImpl::make(impl.batch_size, impl.device, keys.size()));
    for (const NestedKey& key : keys) {
        const Entry* entry = find(key);
        if (!entry) {
            if (strict) throw_missing("select", *this, key);
            continue;
        }
        // Dictionaries on the way are made here, with the batch sizes that they have there.
        const DictImpl* from = &impl;
        DictImpl* to = &DictImpl::of(result);
        for (std::size_t i = 0;; ++i) {
            const std::string& name = key.path()[i];
            const Entry& source = const_cast<DictImpl*>(from)->find(name)->entry;
            if (i + 1 == key.size()) {
                to->put(name, source);
                break;
            }
            from = &DictImpl::of(source.dict());
            const DictImpl::Slot* there = to->find(name);
            if (there && there->entry.dict().is(source.dict())) break; // the whole of it was asked for
            if (!there) to->put(name, DictImpl::handle(DictImpl::make(from->batch_size, from->device)));
            to = &DictImpl::of(to->find(name)->entry.dict());
        }
    }
    return result;
}
TensorDict TensorDict::exclude(const std::vector<NestedKey>& keys) const {
    TensorDict result = DictImpl::handle(std::make_shared<DictImpl>(DictImpl::of(*this)));
    for (const NestedKey& key : keys)
        if (result.contains(key)) result = without(result, key.path());
    return result;
}
TensorDict TensorDict::without_empty() const {
    const DictImpl& impl = DictImpl::of(*this);
    auto result = DictImpl::make(impl.batch_size, impl.device, impl.slots.size());
    for (const DictImpl::Slot& slot : impl.slots) {
        if (slot.entry.is_tensor()) result->slots.push_back(slot);
        else if (has_tensor(slot.entry.dict())) result->slots.push_back({slot.name, slot.entry.dict().without_empty()});
    }
    return DictImpl::handle(std::move(result));
}

TensorDict TensorDict::flatten_keys(const std::string& separator) const {
    check_separator("flatten_keys", separator);
    const DictImpl& impl = DictImpl::of(*this);
    auto result = DictImpl::make(impl.batch_size, impl.device, impl.slots.size());
    for (const auto& [key, entry] : items(true, true)) {
        std::string name = key.front();
        for (const std::string& part : key.path().slice(1)) name += separator + part;
        REEL_CHECK_WITH(KeyError, !result->find(name), "TensorDict::flatten_keys: two entries would be called '", name,
                        "', one of them ", key.str(), "; choose another separator than '", separator, "'");
        result->slots.push_back({std::move(name), entry});
    }
    return DictImpl::handle(std::move(result));
}
TensorDict TensorDict::unflatten_keys(const std::string& separator) const {
    check_separator("unflatten_keys", separator);
    const DictImpl& impl = DictImpl::of(*this);
    const TensorDict result = DictImpl::handle(DictImpl::make(impl.batch_size, impl.device, impl.slots.size()));
    for (const DictImpl::Slot& slot : impl.slots) // as renamed entries, those that move go to the end
        if (slot.name.find(separator) == std::string::npos)
            DictImpl::of(result).slots.push_back(
                {slot.name, slot.entry.is_dict() ? Entry(slot.entry.dict().clone(false)) : slot.entry});
    for (const DictImpl::Slot& slot : impl.slots) {
        if (slot.name.find(separator) == std::string::npos) continue;
        const NestedKey key = split_name(slot.name, separator);
        for (std::size_t n = 1; n <= key.size(); ++n) {
            const Entry* there = find_path(result, key.path().slice(0, n));
            REEL_CHECK_WITH(KeyError, !there || (n < key.size() && there->is_dict()), "TensorDict::unflatten_keys: '",
                            slot.name, "' would replace the entry ", NestedKey(key.path().slice(0, n)).str());
        }
        store("unflatten_keys", result, key, slot.entry);
    }
    return result;
}

} // namespace reel::rl
