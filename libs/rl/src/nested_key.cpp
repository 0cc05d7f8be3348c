#include <reel/rl/nested_key.hpp>

#include <ostream>
#include <utility>

#include <reel/autograd/error.hpp>

namespace reel::rl {
namespace {

std::vector<std::string> checked(std::vector<std::string> path) {
    REEL_CHECK_WITH(KeyError, !path.empty(), "NestedKey: expected at least one name, got none");
    for (const std::string& part : path)
        REEL_CHECK_WITH(KeyError, !part.empty(),
                        "NestedKey: a name is empty, names of entries have at least one letter");
    return path;
}

} // namespace

NestedKey::NestedKey(const char* name) : path_(checked({name})) {}
NestedKey::NestedKey(std::string name) : path_(checked({std::move(name)})) {}
NestedKey::NestedKey(std::string_view name) : path_(checked({std::string(name)})) {}
NestedKey::NestedKey(std::initializer_list<const char*> path) : path_(checked({path.begin(), path.end()})) {}
NestedKey::NestedKey(std::vector<std::string> path) : path_(checked(std::move(path))) {}

NestedKey NestedKey::under(const NestedKey& outer) const {
    std::vector<std::string> path = outer.path_;
    path.insert(path.end(), path_.begin(), path_.end());
    return NestedKey(std::move(path));
}
NestedKey NestedKey::with_back(std::string name) const {
    std::vector<std::string> path = path_;
    path.back() = std::move(name);
    return NestedKey(std::move(path));
}
NestedKey NestedKey::tail() const { return NestedKey(std::vector<std::string>(path_.begin() + 1, path_.end())); }

std::string NestedKey::str() const {
    if (path_.size() == 1) return "'" + path_.front() + "'";
    std::string text;
    for (const std::string& part : path_) text += (text.empty() ? "('" : ", '") + part + "'";
    return text + ")";
}
std::ostream& operator<<(std::ostream& os, const NestedKey& key) { return os << key.str(); }

} // namespace reel::rl
