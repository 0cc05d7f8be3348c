#include "nearest_names.hpp"

#include <algorithm>
#include <utility>

#include <reel/autograd/detail/edit_distance.hpp>

namespace reel::rl::detail {

std::vector<std::string> nearest_names(std::string_view asked, const std::vector<std::string>& names) {
    constexpr std::size_t most = 3, longest = 128;
    std::vector<std::pair<std::size_t, std::size_t>> near; // distance, place
    for (std::size_t i = 0; i < names.size() && asked.size() <= longest; ++i) {
        if (names[i].size() > longest) continue;
        const std::size_t d = reel::detail::edit_distance(asked, names[i]);
        if (d <= std::max<std::size_t>(1, asked.size() / 2)) near.emplace_back(d, i);
    }
    std::sort(near.begin(), near.end());
    std::vector<std::string> result;
    for (std::size_t i = 0; i < near.size() && i < most; ++i) result.push_back(names[near[i].second]);
    return result;
}

std::string nearest_names_text(std::string_view asked, const std::vector<std::string>& names) {
    const auto listed = [](const std::vector<std::string>& some) {
        std::string text;
        for (const std::string& name : some) text += (text.empty() ? "" : ", ") + name;
        return text;
    };
    const std::vector<std::string> nearest = nearest_names(asked, names);
    return (nearest.empty() ? std::string() : "; the nearest: " + listed(nearest)) + "; there are " + listed(names);
}

} // namespace reel::rl::detail
