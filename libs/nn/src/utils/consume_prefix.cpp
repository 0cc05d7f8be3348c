#include <reel/nn/utils/consume_prefix.hpp>

#include <algorithm>

namespace reel::nn::utils {

namespace {
/// Renames the keys of `dict` that `has` says have the prefix.
template <class Dict, class Has> void rename(Dict& dict, std::size_t length, Has has) {
    for (const std::string& key : dict.keys()) {
        if (!has(key)) continue;
        const auto value = dict[key];
        dict.erase(key);
        dict.insert_or_assign(key.size() < length ? std::string() : key.substr(length), value);
    }
}
} // namespace

void consume_prefix_in_state_dict_if_present(StateDict& state_dict, const std::string& prefix) {
    if (prefix.empty()) return;
    rename(state_dict, prefix.size(), [&](const std::string& key) { return key.starts_with(prefix); });
    if (!state_dict.metadata) return;
    std::string wrapper = prefix; // its own path has no dot at the end
    std::erase(wrapper, '.');
    rename(*state_dict.metadata, prefix.size(),
           [&](const std::string& key) { return !key.empty() && (key == wrapper || key.starts_with(prefix)); });
}

} // namespace reel::nn::utils
