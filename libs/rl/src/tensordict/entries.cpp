// Entries one by one: look-up, set, removal, renaming.
#include <reel/rl/tensordict.hpp>

#include "tensordict/dict_impl.hpp"
#include "tensordict/storing.hpp"

namespace reel::rl {

using namespace detail;

Entry::Entry(Tensor tensor) : tensor_(std::move(tensor)) {}
Entry::Entry(TensorDict dict) : dict_(std::move(dict)) {}
const Tensor& Entry::tensor() const {
    REEL_CHECK_TYPE(is_tensor(), "Entry: expected a tensor, this one is a TensorDict; dict() is what returns it");
    return tensor_;
}
const TensorDict& Entry::dict() const {
    REEL_CHECK_TYPE(is_dict(), "Entry: expected a TensorDict, this one is a tensor; tensor() is what returns it");
    return *dict_;
}

TensorDict::TensorDict() : impl_(DictImpl::make({}, std::nullopt)) {}
TensorDict::TensorDict(IntArrayRef batch_size, std::optional<Device> device)
    : impl_(DictImpl::make(batch_size, device)) {
    for (const std::int64_t size : batch_size)
        REEL_CHECK_VALUE(size >= 0, "TensorDict: the batch size ", batch_size, " has a negative dimension");
}
TensorDict::TensorDict(std::initializer_list<Item> items, IntArrayRef batch_size, std::optional<Device> device)
    : TensorDict(batch_size, device) {
    impl_->slots.reserve(items.size());
    for (const auto& [key, entry] : items) set(key, entry);
}

bool TensorDict::empty() const { return DictImpl::of(*this).slots.empty(); }
std::size_t TensorDict::size() const { return DictImpl::of(*this).slots.size(); }
std::optional<Device> TensorDict::device() const { return DictImpl::of(*this).device; }

// --- look-up
const Entry* TensorDict::find(const NestedKey& key) const { return find_path(*this, key.path()); }
bool TensorDict::contains(const NestedKey& key) const { return find(key) != nullptr; }
const Entry& TensorDict::at(const NestedKey& key) const {
    const Entry* entry = find(key);
    if (!entry) [[unlikely]]
        throw_missing("at", *this, key);
    return *entry;
}
const Tensor TensorDict::operator[](const NestedKey& key) const {
    const Entry* entry = find(key);
    if (!entry) [[unlikely]]
        throw_missing("operator[]", *this, key);
    REEL_CHECK_TYPE(entry->is_tensor(), "TensorDict::operator[]: ", key.str(), " is a TensorDict and no tensor; dict(",
                    key.str(), ") is what returns it");
    return entry->tensor();
}
TensorDict TensorDict::dict(const NestedKey& key) const {
    const Entry* entry = find(key);
    if (!entry) [[unlikely]]
        throw_missing("dict", *this, key);
    REEL_CHECK_TYPE(entry->is_dict(), "TensorDict::dict: ", key.str(), " is a tensor of sizes ",
                    entry->tensor().sizes(), " and no TensorDict");
    return entry->dict();
}
std::optional<Tensor> TensorDict::get(const NestedKey& key) const {
    const Entry* entry = find(key);
    if (!entry) return std::nullopt;
    REEL_CHECK_TYPE(entry->is_tensor(), "TensorDict::get: ", key.str(), " is a TensorDict and no tensor; dict(",
                    key.str(), ") is what returns it");
    return entry->tensor();
}
Tensor TensorDict::get(const NestedKey& key, const Tensor& otherwise) const { return get(key).value_or(otherwise); }

// --- changes
TensorDict& TensorDict::set(const NestedKey& key, Entry value) {
    store("set", *this, key, std::move(value));
    return *this;
}
TensorDict& TensorDict::set_(const NestedKey& key, const Tensor& value) {
    const Tensor there = writable("set_", *this, key, value);
    check_copy("set_", key, there.sizes(), value);
    there.copy_(value);
    return *this;
}
TensorDict& TensorDict::set_at_(const NestedKey& key, const Tensor& value,
                                const std::vector<indexing::TensorIndex>& index) {
    const Tensor there = writable("set_at_", *this, key, value);
    try {
        there.index_put_(ArrayRef<indexing::TensorIndex>(index), value);
    } catch (Error& error) {
        error.add_context("in TensorDict::set_at_ of " + key.str());
        throw;
    }
    return *this;
}

namespace {
/// The dictionary that an entry lies in, and where.
struct Place {
    DictImpl& dict;
    DictImpl::Slot* slot;
};
std::optional<Place> place_of(const TensorDict& root, const NestedKey& key) {
    DictImpl* at = &DictImpl::of(root);
    for (std::size_t i = 0;; ++i) {
        DictImpl::Slot* slot = at->find(key.path()[i]);
        if (!slot) return std::nullopt;
        if (i + 1 == key.size()) return Place{*at, slot};
        if (slot->entry.is_tensor()) return std::nullopt;
        at = &DictImpl::of(slot->entry.dict());
    }
}
Place existing(const char* op, const TensorDict& root, const NestedKey& key) {
    const std::optional<Place> place = place_of(root, key);
    if (!place) throw_missing(op, root, key);
    return *place;
}
} // namespace

TensorDict& TensorDict::del_(const NestedKey& key) {
    const Place place = existing("del_", *this, key);
    place.dict.erase(place.slot);
    return *this;
}
Entry TensorDict::pop(const NestedKey& key) {
    const Place place = existing("pop", *this, key);
    return place.dict.take(place.slot);
}
std::optional<Entry> TensorDict::pop_if(const NestedKey& key) {
    const std::optional<Place> place = place_of(*this, key);
    if (!place) return std::nullopt;
    return place->dict.take(place->slot);
}

TensorDict& TensorDict::rename_key_(const NestedKey& from, const NestedKey& to, bool safe) {
    const Place place = existing("rename_key_", *this, from);
    if (from == to) return *this;
    REEL_CHECK_WITH(KeyError, !safe || !contains(to), "TensorDict::rename_key_: ", to.str(),
                    " exists already, and with safe=true ", from.str(), " does not replace it");
    const bool inside = to.size() > from.size() && to.path().slice(0, from.size()).equals(from.path());
    REEL_CHECK_VALUE(!inside, "TensorDict::rename_key_: ", to.str(), " lies in ", from.str(),
                     ", which cannot be moved into itself");
    const Entry entry = place.slot->entry;
    check_storable("rename_key_", *this, to, entry);
    place.dict.erase(place.slot);
    store("rename_key_", *this, to, entry);
    return *this;
}

} // namespace reel::rl
