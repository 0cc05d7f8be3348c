// What a look-up of a name that does not exist says.
#include <algorithm>

#include <reel/autograd/detail/edit_distance.hpp>

#include "nearest_names.hpp"
#include "tensordict/dict_impl.hpp"

namespace reel::rl::detail {

namespace {

std::string dotted(const NestedKey& key) {
    std::string text;
    for (const std::string& name : key.path()) text += (text.empty() ? "" : ".") + name;
    return text;
}
/// How far `candidate` is from what was asked for: as a whole, or by its own name in another dictionary.
std::size_t distance(const NestedKey& asked, const NestedKey& candidate) {
    const std::size_t whole = reel::detail::edit_distance(dotted(asked), dotted(candidate));
    if (asked.size() == candidate.size()) return whole;
    const std::size_t own = reel::detail::edit_distance(asked.back(), candidate.back());
    return std::min(whole, own == 0 ? 0 : own + 1);
}
std::string listed(const std::vector<NestedKey>& keys, std::size_t most) {
    std::string text;
    for (std::size_t i = 0; i < keys.size() && i < most; ++i) text += (i ? ", " : "") + keys[i].str();
    if (keys.size() > most) text += " and " + std::to_string(keys.size() - most) + " more";
    return text;
}

} // namespace

void throw_missing(const char* op, const TensorDict& dict, const NestedKey& key) {
    std::size_t known = 0; // how many of its names lead into a dictionary
    for (; known + 1 < key.size(); ++known) {
        const Entry* on_the_way = find_path(dict, key.path().slice(0, known + 1));
        if (!on_the_way) break;
        REEL_CHECK_WITH(KeyError, on_the_way->is_dict(), "TensorDict::", op, ": no entry ", key.str(), ": ",
                        NestedKey(key.path().slice(0, known + 1)).str(), " is a tensor and no TensorDict");
    }
    REEL_CHECK_WITH(KeyError, !dict.empty(), "TensorDict::", op, ": no entry ", key.str(), ": the dictionary is empty");
    constexpr std::size_t most_names = 16;
    const std::vector<NestedKey> nearest = nearest_keys(dict, key);
    const std::string names = known == 0
                                  ? "there are " + listed(dict.keys(), most_names)
                                  : "in " + NestedKey(key.path().slice(0, known)).str() + " there are " +
                                        listed(find_path(dict, key.path().slice(0, known))->dict().keys(), most_names);
    REEL_THROW(KeyError, "TensorDict::", op, ": no entry ", key.str(),
               nearest.empty() ? "" : "; the nearest: " + listed(nearest, most_names), "; ", names);
}

std::vector<NestedKey> nearest_keys(const TensorDict& dict, const NestedKey& key) {
    constexpr std::size_t most_nearest = 3, longest = 128;
    const std::vector<NestedKey> all = dict.keys(true);
    std::vector<std::pair<std::size_t, std::size_t>> near; // distance, place
    const std::size_t length = dotted(key).size();
    for (std::size_t i = 0; i < all.size() && length <= longest; ++i) {
        if (dotted(all[i]).size() > longest) continue;
        const std::size_t d = distance(key, all[i]);
        if (d <= std::max<std::size_t>(1, length / 2)) near.emplace_back(d, i);
    }
    std::sort(near.begin(), near.end());
    std::vector<NestedKey> nearest;
    for (std::size_t i = 0; i < near.size() && i < most_nearest; ++i) nearest.push_back(all[near[i].second]);
    return nearest;
}

} // namespace reel::rl::detail
