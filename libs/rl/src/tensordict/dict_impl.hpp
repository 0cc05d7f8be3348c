// What a TensorDict handle points to, and the walks that its members share.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <reel/rl/tensordict.hpp>

namespace reel::rl::detail {

/// A few names in the order of their insertion: looking through them takes less time than a hash.
struct DictImpl {
    struct Slot {
        std::string name;
        Entry entry;
    };
    std::vector<std::int64_t> batch_size;
    std::optional<Device> device;
    std::vector<Slot> slots;

    static DictImpl& of(const TensorDict& dict) {
        if (!dict.impl_) [[unlikely]]
            throw_moved();
        return *dict.impl_;
    }
    static TensorDict handle(std::shared_ptr<DictImpl> impl) { return TensorDict(std::move(impl)); }
    static std::shared_ptr<DictImpl> make(IntArrayRef batch_size, std::optional<Device> device,
                                          std::size_t capacity = 0);

    std::int64_t batch_dims() const { return std::int64_t(batch_size.size()); }
    Slot* find(std::string_view name) {
        for (Slot& slot : slots)
            if (slot.name == name) return &slot;
        return nullptr;
    }
    /// Replaces in place, or appends.
    void put(std::string_view name, Entry entry) {
        if (Slot* slot = find(name)) slot->entry = std::move(entry);
        else {
            if (slots.capacity() == 0) slots.reserve(8); // most have several
            slots.push_back({std::string(name), std::move(entry)});
        }
    }
    void erase(Slot* slot) { slots.erase(slots.begin() + (slot - slots.data())); }
    Entry take(Slot* slot) {
        Entry entry = std::move(slot->entry);
        erase(slot);
        return entry;
    }

private:
    [[noreturn]] static void throw_moved();
};

/// Whether `sizes` begin with `batch_size`.
inline bool begins_with(IntArrayRef sizes, IntArrayRef batch_size) {
    if (sizes.size() < batch_size.size()) return false;
    for (std::size_t i = 0; i < batch_size.size(); ++i)
        if (sizes[i] != batch_size[i]) return false;
    return true;
}
/// What follows the first `dims` sizes.
inline IntArrayRef after(IntArrayRef sizes, std::size_t dims) {
    return dims < sizes.size() ? IntArrayRef(sizes.data() + dims, sizes.size() - dims) : IntArrayRef();
}
inline Dims joined(IntArrayRef front, IntArrayRef back) {
    Dims dims(front);
    for (const std::int64_t size : back) dims.push_back(size);
    return dims;
}
/// The sizes of a tensor or, of a dictionary, its batch size.
inline IntArrayRef sizes_of(const Entry& entry) {
    return entry.is_tensor() ? entry.tensor().sizes() : IntArrayRef(entry.dict().batch_size());
}

/// A dictionary of `f(tensor)`: `batch_size` stands in place of the first `old_dims` dimensions of all batch sizes.
template <class F>
TensorDict with_leaves(const DictImpl& from, IntArrayRef batch_size, std::size_t old_dims, const F& f) {
    const IntArrayRef beyond = after(from.batch_size, old_dims);
    auto result = beyond.empty() ? DictImpl::make(batch_size, from.device, from.slots.size())
                                 : DictImpl::make(joined(batch_size, beyond), from.device, from.slots.size());
    for (const DictImpl::Slot& slot : from.slots) {
        if (slot.entry.is_dict()) {
            const DictImpl& nested = DictImpl::of(slot.entry.dict());
            result->slots.push_back({slot.name, with_leaves(nested, batch_size, old_dims, f)});
            continue;
        }
        try {
            result->slots.push_back({slot.name, f(slot.entry.tensor())});
        } catch (Error& error) {
            error.add_context("in the entry '" + slot.name + "' of a TensorDict");
            throw;
        }
    }
    return DictImpl::handle(std::move(result));
}
/// The same with the batch sizes as they are.
template <class F> TensorDict with_leaves(const DictImpl& from, const F& f) {
    return with_leaves(from, from.batch_size, from.batch_size.size(), f);
}

/// The product of `sizes`. ValueError when it does not fit: without tensors a batch size may be anything.
std::int64_t elements(const char* op, IntArrayRef sizes);

/// A dimension of the batch, counted from its front. IndexError.
std::int64_t wrap_batch_dim(const char* op, std::int64_t dim, IntArrayRef batch_size);

/// What lies in `dict` under the names of a path; null when one of them is missing or leads through a tensor.
const Entry* find_path(const TensorDict& dict, ArrayRef<std::string> path);
/// At most three names of `dict` that may have been meant, the likeliest first.
std::vector<NestedKey> nearest_keys(const TensorDict& dict, const NestedKey& key);
/// KeyError for an entry that `dict` does not have, with the nearest ones that it has (TD-4).
[[noreturn]] void throw_missing(const char* op, const TensorDict& dict, const NestedKey& key);

/// Where a walk through dictionaries stands: a chain of names on the stack, made into a key where one is needed.
class Path {
public:
    Path() = default; ///< the dictionary itself
    Path(const NestedKey& key) : start_(&key) {}
    Path(const Path& outer, const std::string& name) : outer_(&outer), name_(&name) {}
    Path(const Path&) = delete;
    NestedKey key() const;
    std::string str() const { return outer_ || start_ ? key().str() : "the dictionary itself"; }

private:
    const Path* outer_ = nullptr;
    const std::string* name_ = nullptr;
    const NestedKey* start_ = nullptr;
};

/// Error when the tape forbids writing `value` into `tensor`, or elements of `tensor` share memory.
void check_writable(const char* op, const Path& key, const Tensor& tensor, const Tensor& value);

} // namespace reel::rl::detail
