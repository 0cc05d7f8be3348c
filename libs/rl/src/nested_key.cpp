#include <reel/rl/nested_key.hpp>

#include <algorithm>
#include <ostream>
#include <utility>

namespace reel::rl {
namespace {

void check_name(std::string_view name) {
    REEL_CHECK_WITH(KeyError, !name.empty(), "NestedKey: a name is empty, names of entries have at least one letter");
}
void check_path(std::size_t names) {
    REEL_CHECK_WITH(KeyError, names > 0, "NestedKey: expected at least one name, got none");
}

} // namespace

NestedKey::NestedKey(const char* name) : NestedKey(std::string_view(name)) {}
NestedKey::NestedKey(std::string name) {
    check_name(name);
    path_.push_back(std::move(name));
}
NestedKey::NestedKey(std::string_view name) {
    check_name(name);
    path_.emplace_back(name);
}
NestedKey::NestedKey(std::initializer_list<const char*> path) {
    check_path(path.size());
    path_.reserve(path.size());
    for (const char* name : path) {
        check_name(name);
        path_.emplace_back(name);
    }
}
NestedKey::NestedKey(const std::vector<std::string>& path) : NestedKey(ArrayRef<std::string>(path)) {}
NestedKey::NestedKey(ArrayRef<std::string> path) : path_(path) {
    check_path(path.size());
    for (const std::string& name : path) check_name(name);
}

NestedKey NestedKey::under(const NestedKey& outer) const {
    NestedKey key = outer;
    for (const std::string& name : path_) key.path_.push_back(name);
    return key;
}
NestedKey NestedKey::with_back(std::string name) const {
    check_name(name);
    NestedKey key = *this;
    key.path_.back() = std::move(name);
    return key;
}
NestedKey NestedKey::tail() const { return NestedKey(path().slice(1)); }

std::string NestedKey::str() const {
    if (path_.size() == 1) return "'" + path_[0] + "'";
    std::string text;
    for (const std::string& part : path_) text += (text.empty() ? "('" : ", '") + part + "'";
    return text + ")";
}
std::strong_ordering operator<=>(const NestedKey& a, const NestedKey& b) {
    return std::lexicographical_compare_three_way(a.path_.begin(), a.path_.end(), b.path_.begin(), b.path_.end());
}
std::ostream& operator<<(std::ostream& os, const NestedKey& key) { return os << key.str(); }

} // namespace reel::rl
