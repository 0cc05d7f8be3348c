

#include "tensordict/storing.hpp"

namespace reel::rl::detail {

namespace {

/// Does `dict` hold `target`, at any depth, or is it the same?
bool reaches(const TensorDict& dict, const DictImpl& target) {
    const DictImpl& impl = DictImpl::of(dict);
    if (&impl == &target) return true;
    for (const DictImpl::Slot& slot : impl.slots)
        if (slot.entry.is_dict() && reaches(slot.entry.dict(), target)) return true;
    return false;
}

/// Whether all tensors of `dict` have the sizes that a longer batch size asks for.
void check_wider(const char* op, const TensorDict& dict, const Path& key, IntArrayRef batch_size) {
    for (const DictImpl::Slot& slot : DictImpl::of(dict).slots) {
        const Path own(key, slot.name);
        if (slot.entry.is_dict() && !begins_with(slot.entry.dict().batch_size(), batch_size)) {
            check_wider(op, slot.entry.dict(), own, batch_size);
            continue;
        }
        REEL_CHECK(begins_with(sizes_of(slot.entry), batch_size), "TensorDict::", op, ": the tensor ", own.str(),
                   " has sizes ", sizes_of(slot.entry), ", which do not begin with the batch size ", batch_size);
    }
}
TensorDict widened(const DictImpl& from, IntArrayRef batch_size) {
    auto result = DictImpl::make(batch_size, from.device, from.slots.size());
    for (const DictImpl::Slot& slot : from.slots) {
        const bool shorter = slot.entry.is_dict() && !begins_with(slot.entry.dict().batch_size(), batch_size);
        result->slots.push_back(
            {slot.name, shorter ? Entry(widened(DictImpl::of(slot.entry.dict()), batch_size)) : slot.entry});
    }
    return DictImpl::handle(std::move(result));
}

} // namespace

void check_fits(const char* op, const DictImpl& into, const Path& key, const Entry& value) {
    if (value.is_tensor()) {
        REEL_CHECK_VALUE(value.tensor().defined(), "TensorDict::", op, ": the tensor for ", key.str(),
                         " is undefined; del_ is what removes an entry");
        REEL_CHECK(begins_with(value.tensor().sizes(), into.batch_size), "TensorDict::", op, ": the tensor for ",
                   key.str(), " has sizes ", value.tensor().sizes(), ", which do not begin with the batch size ",
                   IntArrayRef(into.batch_size));
        return;
    }
    REEL_CHECK_VALUE(!reaches(value.dict(), into), "TensorDict::", op, ": ", key.str(),
                     " would make the dictionary contain itself; store a clone(false) of it");
    const IntArrayRef sizes = value.dict().batch_size();
    if (begins_with(sizes, into.batch_size)) return;
    REEL_CHECK(begins_with(into.batch_size, sizes), "TensorDict::", op, ": the TensorDict for ", key.str(),
               " has batch size ", sizes, ", which does not begin with the batch size ", IntArrayRef(into.batch_size));
    check_wider(op, value.dict(), key, into.batch_size);
}
Entry fitted(const DictImpl& into, Entry value) {
    if (value.is_tensor()) {
        if (into.device && value.tensor().device() != *into.device)
            return value.tensor().to(TensorOptions(*into.device));
        return value;
    }
    TensorDict dict = value.dict();
    if (!begins_with(dict.batch_size(), into.batch_size)) dict = widened(DictImpl::of(dict), into.batch_size);
    if (into.device && dict.device() != into.device) dict = dict.to(*into.device);
    return dict;
}

namespace {
/// The innermost dictionary on the way to `key` that exists, and how many names lead to it.
struct Way {
    DictImpl* dict;
    std::size_t names = 0;
};
Way way_to(const char* op, const TensorDict& root, const NestedKey& key) {
    Way way{&DictImpl::of(root)};
    for (; way.names + 1 < key.size(); ++way.names) {
        const DictImpl::Slot* slot = way.dict->find(key.path()[way.names]);
        if (!slot) break;
        REEL_CHECK_WITH(KeyError, slot->entry.is_dict(), "TensorDict::", op, ": ", key.str(), " leads through ",
                        NestedKey(key.path().slice(0, way.names + 1)).str(),
                        ", which is a tensor and no TensorDict; del_ it first");
        way.dict = &DictImpl::of(slot->entry.dict());
    }
    return way;
}

} // namespace

void check_storable(const char* op, const TensorDict& root, const NestedKey& key, const Entry& value) {
    check_fits(op, *way_to(op, root, key).dict, key, value);
}
void store(const char* op, const TensorDict& root, const NestedKey& key, Entry value) {
    constexpr std::size_t deepest = 256; // walks through dictionaries recur
    REEL_CHECK_VALUE(key.size() <= deepest, "TensorDict::", op, ": a key of ", key.size(),
                     " names is too deep; at most ", deepest, " dictionaries lie in each other");
    const Way way = way_to(op, root, key);
    DictImpl& into = *way.dict;
    check_fits(op, into, key, value);
    Entry entry = fitted(into, std::move(value));
    for (std::size_t i = key.size() - 1; i > way.names; --i) {
        auto made = DictImpl::make(into.batch_size, into.device, 1);
        made->slots.push_back({key.path()[i], std::move(entry)});
        entry = DictImpl::handle(std::move(made));
    }
    into.put(key.path()[way.names], std::move(entry));
}

Tensor writable(const char* op, const TensorDict& root, const NestedKey& key, const Tensor& value) {
    const Entry* entry = find_path(root, key.path());
    if (!entry) throw_missing(op, root, key);
    REEL_CHECK_TYPE(entry->is_tensor(), "TensorDict::", op, ": ", key.str(),
                    " is a TensorDict and no tensor; update_ writes into its tensors");
    REEL_CHECK_VALUE(value.defined(), "TensorDict::", op, ": the tensor for ", key.str(), " is undefined");
    check_writable(op, key, entry->tensor(), value);
    return entry->tensor();
}
void check_copy(const char* op, const Path& key, IntArrayRef sizes, const Tensor& value) {
    const IntArrayRef given = value.sizes();
    bool fits = given.size() <= sizes.size();
    for (std::size_t i = 1; fits && i <= given.size(); ++i)
        fits = given[given.size() - i] == 1 || given[given.size() - i] == sizes[sizes.size() - i];
    REEL_CHECK(fits, "TensorDict::", op, ": a tensor of sizes ", given, " does not broadcast into ", key.str(),
               ", which has sizes ", sizes);
}

} // namespace reel::rl::detail
