// Dictionaries of tensors that share their leading dimensions.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <reel/autograd/indexing.hpp>
#include <reel/autograd/tensor.hpp>
#include <reel/rl/nested_key.hpp>

namespace reel {
class Value;
}

namespace reel::rl {

class TensorDict;
namespace detail {
struct DictImpl;
}

/// What stands under a name: a tensor or another dictionary.
class Entry;

/// An insertion-ordered map from names to tensors and further dictionaries, all of whose sizes begin with `batch_size`
/// (TD-1). A handle, as Tensor is one: copies of it are the same dictionary; `clone(false)` makes another with the same
/// tensors. A default-constructed one is empty with batch size [].
///
/// A missing name throws KeyError with the nearest ones that exist (TD-4); a leaf whose sizes do not begin with the
/// batch size throws Error naming key and both shapes, and nothing has changed.
class TensorDict {
public:
    using Item = std::pair<NestedKey, Entry>;
    TensorDict();
    explicit TensorDict(std::initializer_list<std::int64_t> batch_size) : TensorDict(IntArrayRef(batch_size)) {}
    explicit TensorDict(IntArrayRef batch_size, std::optional<Device> device = std::nullopt);
    TensorDict(std::initializer_list<Item> items, IntArrayRef batch_size, std::optional<Device> device = std::nullopt);

    // --- sizes
    const std::vector<std::int64_t>& batch_size() const;
    std::int64_t batch_size(std::int64_t dim) const; ///< negative dimensions count from the last; IndexError
    std::int64_t batch_dims() const;
    std::int64_t numel() const; ///< elements of the batch, at least 1 as the package counts
    /// Longer when every leaf has those dimensions (nested dictionaries follow), shorter always (they keep theirs).
    void set_batch_size(IntArrayRef batch_size);
    /// The one given at construction or by `to`; none when entries may lie anywhere.
    std::optional<Device> device() const;

    // --- entries
    bool empty() const;
    std::size_t size() const; ///< direct entries
    bool contains(const NestedKey& key) const;
    /// The tensor under `key`. Errors: KeyError, TypeError when it is a dictionary. (Const: an assignment to the result
    /// would change nothing here; `set` does.)
    const Tensor operator[](const NestedKey& key) const;
    /// The dictionary under `key`, itself and no copy. Errors: KeyError, TypeError when it is a tensor.
    TensorDict dict(const NestedKey& key) const;
    const Entry& at(const NestedKey& key) const;
    /// Null when there is none. It stays valid until the dictionary is changed.
    const Entry* find(const NestedKey& key) const;
    /// The tensor, or nothing.
    std::optional<Tensor> get(const NestedKey& key) const;
    Tensor get(const NestedKey& key, const Tensor& otherwise) const;
    /// Adds or replaces; dictionaries on the way are made. A dictionary with a shorter batch size is stored as a
    /// shallow copy that has this one's.
    TensorDict& set(const NestedKey& key, Entry value);
    /// Copies into the tensor that is there (in place, as `copy_`). Error: KeyError.
    TensorDict& set_(const NestedKey& key, const Tensor& value);
    /// `td.set_at_("reward", value, index)`: copies into a part of the tensor that is there.
    TensorDict& set_at_(const NestedKey& key, const Tensor& value, const std::vector<indexing::TensorIndex>& index);
    TensorDict& del_(const NestedKey& key);
    /// Removes and returns.
    Entry pop(const NestedKey& key);
    std::optional<Entry> pop_if(const NestedKey& key);
    /// The renamed entry goes to the end; an existing target is replaced, or with `safe` a KeyError.
    TensorDict& rename_key_(const NestedKey& from, const NestedKey& to, bool safe = false);
    /// Takes over every entry of `other`; nested dictionaries are merged.
    TensorDict& update(const TensorDict& other);
    /// `update` that writes into the tensors that are there.
    TensorDict& update_(const TensorDict& other);
    /// Direct names in their order; with `nested` those of dictionaries too (the children, then their dictionary), with
    /// `leaves_only` tensors alone.
    std::vector<NestedKey> keys(bool nested = false, bool leaves_only = false) const;
    std::vector<Item> items(bool nested = false, bool leaves_only = false) const;
    /// The given entries, in the given order, in a new dictionary. Error: KeyError for a missing one unless not
    /// `strict`.
    TensorDict select(const std::vector<NestedKey>& keys, bool strict = true) const;
    TensorDict exclude(const std::vector<NestedKey>& keys) const;
    /// Dictionaries without tensors in them are left out.
    TensorDict without_empty() const;
    /// Nested names joined: "next.reward".
    TensorDict flatten_keys(const std::string& separator = ".") const;
    TensorDict unflatten_keys(const std::string& separator = ".") const;

    // --- the batch
    /// Over batch dimensions alone; views for integers and slices, copies for masks and index tensors.
    TensorDict index(const std::vector<indexing::TensorIndex>& indices) const;
    TensorDict operator[](std::int64_t i) const;
    template <class I>
    requires(std::is_integral_v<I> && !std::is_same_v<I, bool>) TensorDict operator[](I i) const {
        return (*this)[std::int64_t(i)];
    }
    TensorDict operator[](const Tensor& index) const;
    TensorDict operator[](indexing::Slice slice) const;
    /// Writes `value` at a place of the batch, entry by entry; both have the same names. Errors before anything is
    /// written.
    TensorDict& index_put_(const std::vector<indexing::TensorIndex>& indices, const TensorDict& value);
    /// Along any batch dimension: the index has as many dimensions as the batch and may differ from it in `dim` (TD-3).
    TensorDict gather(std::int64_t dim, const Tensor& index) const;
    TensorDict view(IntArrayRef batch_size) const;
    TensorDict reshape(IntArrayRef batch_size) const; ///< -1 is inferred
    TensorDict flatten(std::int64_t start_dim = 0, std::int64_t end_dim = -1) const;
    TensorDict transpose(std::int64_t dim0, std::int64_t dim1) const;
    TensorDict permute(IntArrayRef dims) const;
    TensorDict squeeze(std::int64_t dim) const;
    TensorDict unsqueeze(std::int64_t dim) const;
    TensorDict expand(IntArrayRef batch_size) const;
    std::vector<TensorDict> split(std::int64_t size, std::int64_t dim = 0) const;
    std::vector<TensorDict> unbind(std::int64_t dim = 0) const;
    TensorDict contiguous() const;

    // --- all tensors
    /// A new dictionary of the results; `batch_size` when `f` changes it. `f` may return an undefined tensor to leave
    /// an entry out.
    TensorDict apply(const std::function<Tensor(const Tensor&)>& f,
                     std::optional<std::vector<std::int64_t>> batch_size = std::nullopt) const;
    TensorDict named_apply(const std::function<Tensor(const NestedKey&, const Tensor&)>& f) const;
    TensorDict& apply_(const std::function<void(Tensor&)>& f);
    TensorDict& zero_();
    TensorDict detach() const;
    /// Copies of the tensors, or (without `recurse`) new dictionaries with the same tensors.
    TensorDict clone(bool recurse = true) const;
    TensorDict to(Device device) const;
    TensorDict to(ScalarType dtype) const; ///< floating entries alone
    TensorDict cpu() const;
    /// The same dictionary, not merely equal contents.
    bool is(const TensorDict& other) const { return impl_ == other.impl_; }
    /// Same names, batch sizes, dtypes and elements; NaN differs from itself unless `equal_nan`.
    bool equal(const TensorDict& other, bool equal_nan = false) const;
    bool allclose(const TensorDict& other, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false) const;

    // --- files
    /// One safetensors file of all tensors, called by their paths ('next.reward'; a dot in a name is written '\.'),
    /// with the dictionaries' batch sizes and the order of the entries in its metadata. Written atomically, as
    /// `serialize::save_file` does; gradients and devices stay behind.
    /// Errors: ValueError for names that are no UTF-8, NotImplementedError for meta tensors, Error when writing fails.
    void save(const std::string& path) const;
    /// What `save` wrote, on the host: copies, or with `mapped` tensors on the file's own pages (writing to them does
    /// not reach the file). Errors, naming file and key: ValueError for a damaged file or another's.
    static TensorDict load(const std::string& path, bool mapped = false);
    static TensorDict load_memmap(const std::string& path) { return load(path, true); }

    /// As the Python package prints it.
    std::string str() const;

    // --- modules
    /// What hooks see where a module takes or returns a dictionary: a dict of its tensors by name, so that gradients
    /// have a place for each. Read back it is this very dictionary, unless a tensor was replaced.
    operator Value() const;
    /// The way back. A dict that somebody else made gets batch size []. TypeError names what is no tensor or dict.
    static TensorDict from_value(const Value& value);

private:
    friend struct detail::DictImpl;
    explicit TensorDict(std::shared_ptr<detail::DictImpl> impl) : impl_(std::move(impl)) {}
    std::shared_ptr<detail::DictImpl> impl_;
};

class Entry {
public:
    Entry(Tensor tensor);
    Entry(TensorDict dict);
    bool is_tensor() const { return !dict_; }
    bool is_dict() const { return dict_.has_value(); }
    const Tensor& tensor() const;   ///< TypeError when it is a dictionary
    const TensorDict& dict() const; ///< TypeError when it is a tensor

private:
    Tensor tensor_;
    std::optional<TensorDict> dict_;
};

/// Along a new batch dimension / along an existing one. All must have the same names (KeyError naming the one that is
/// not everywhere) and batch sizes (Error).
TensorDict stack(const std::vector<TensorDict>& dicts, std::int64_t dim = 0);
TensorDict cat(const std::vector<TensorDict>& dicts, std::int64_t dim = 0);
std::ostream& operator<<(std::ostream& os, const TensorDict& dict);

} // namespace reel::rl
