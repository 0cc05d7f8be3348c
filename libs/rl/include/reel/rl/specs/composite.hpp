// Specs under names.
#pragma once

#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <reel/rl/nested_key.hpp>
#include <reel/rl/specs/tensor_spec.hpp>
#include <reel/rl/tensordict.hpp>

namespace reel::rl {

class Composite;

/// What stands under a name: the spec of a tensor, or further names.
class SpecEntry {
public:
    SpecEntry(TensorSpec spec) : spec_(std::move(spec)) {}
    SpecEntry(Composite composite);
    bool is_composite() const { return bool(composite_); }
    const TensorSpec& spec() const;     ///< TypeError when it is a Composite
    const Composite& composite() const; ///< TypeError when it is no Composite
    friend bool operator==(const SpecEntry& a, const SpecEntry& b);

private:
    TensorSpec spec_;
    std::shared_ptr<const Composite> composite_;
};

/// An insertion-ordered map from names to specs whose shapes all begin with `shape`: the spec of a TensorDict with that
/// batch size. A value: copies are independent. Missing names throw KeyError with the nearest ones; a spec of another
/// leading shape is a ValueError, except that a nested Composite is expanded.
class Composite {
public:
    using Item = std::pair<NestedKey, SpecEntry>;
    Composite() = default;
    explicit Composite(std::initializer_list<std::int64_t> shape) : Composite(IntArrayRef(shape)) {}
    explicit Composite(IntArrayRef shape, std::optional<Device> device = std::nullopt);
    Composite(std::initializer_list<Item> items, IntArrayRef shape = {}, std::optional<Device> device = std::nullopt);

    const std::vector<std::int64_t>& shape() const { return shape_; }
    std::optional<Device> device() const { return device_; }
    bool empty() const { return items_.empty(); }
    std::size_t size() const { return items_.size(); } ///< direct entries
    bool contains(const NestedKey& key) const { return find(key) != nullptr; }
    const SpecEntry* find(const NestedKey& key) const;
    const SpecEntry& at(const NestedKey& key) const;
    const TensorSpec& operator[](const NestedKey& key) const { return at(key).spec(); }
    const Composite& composite(const NestedKey& key) const { return at(key).composite(); }
    /// Adds or replaces; composites on the way are made.
    Composite& set(const NestedKey& key, const SpecEntry& entry);
    Composite& del_(const NestedKey& key);
    Composite& update(const Composite& other);
    /// As TensorDict::keys.
    std::vector<NestedKey> keys(bool nested = false, bool leaves_only = false) const;
    std::vector<NestedKey> leaf_keys() const { return keys(true, true); }

    /// Draws of every entry, batch size [*shape, *this->shape()].
    TensorDict rand(IntArrayRef shape = {}, const Generator& generator = {}) const;
    TensorDict zero(IntArrayRef shape = {}) const;
    TensorDict one(IntArrayRef shape = {}) const;
    /// Every entry is there and belongs; further entries of `td` do not count.
    bool is_in(const TensorDict& td) const;
    /// A shallow copy with the entries projected; missing ones stay away.
    TensorDict project(const TensorDict& td) const;
    /// KeyError for the first missing entry, ValueError for the first outside its spec; `what` begins the message.
    void check(const TensorDict& td, const std::string& what) const;

    Composite expand(IntArrayRef shape) const;
    Composite index(const std::vector<indexing::TensorIndex>& indices) const;
    Composite operator[](std::int64_t i) const { return index({i}); }
    Composite to(Device device) const;
    /// As the Python package prints it.
    std::string str() const;
    friend bool operator==(const Composite& a, const Composite& b);

private:
    std::vector<std::int64_t> shape_;
    std::optional<Device> device_;
    std::vector<std::pair<std::string, SpecEntry>> items_;
};
std::ostream& operator<<(std::ostream& os, const Composite& composite);

} // namespace reel::rl
