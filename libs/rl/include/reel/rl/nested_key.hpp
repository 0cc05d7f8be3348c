// Names of entries in dictionaries of tensors.
#pragma once

#include <compare>
#include <initializer_list>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include <reel/autograd/array_ref.hpp>

namespace reel::rl {

/// Where an entry lies: "reward", or {"next", "reward"} in the dictionary "next". Never empty, nor any part of it
/// (KeyError). Keys of one or two short names allocate nothing.
class NestedKey {
public:
    NestedKey(const char* name);
    NestedKey(std::string name);
    NestedKey(std::string_view name);
    NestedKey(std::initializer_list<const char*> path);
    explicit NestedKey(const std::vector<std::string>& path);
    explicit NestedKey(ArrayRef<std::string> path);

    /// The names from the outermost to the entry's own, as long as the key lives.
    ArrayRef<std::string> path() const { return path_; }
    std::size_t size() const { return path_.size(); }
    const std::string& front() const { return path_[0]; }
    const std::string& back() const { return path_.back(); }
    /// This entry of the dictionary `outer`: {"next"} and "reward" make {"next", "reward"}.
    NestedKey under(const NestedKey& outer) const;
    /// The key with another last part.
    NestedKey with_back(std::string name) const;
    /// Without the first part. Error: KeyError where there is no other.
    NestedKey tail() const;
    /// As Python writes it: 'reward', ('next', 'reward').
    std::string str() const;

    friend bool operator==(const NestedKey&, const NestedKey&) = default;
    friend std::strong_ordering operator<=>(const NestedKey& a, const NestedKey& b);

private:
    SmallVector<std::string, 2> path_;
};
std::ostream& operator<<(std::ostream& os, const NestedKey& key);

} // namespace reel::rl
