#include "nearest_names.hpp"

#include <algorithm>
#include <utility>

namespace reel::rl::detail {

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
        before.swap(last);
        last.swap(row);
    }
    return last[b.size()];
}

std::vector<std::string> nearest_names(std::string_view asked, const std::vector<std::string>& names) {
    constexpr std::size_t most = 3, longest = 128;
    std::vector<std::pair<std::size_t, std::size_t>> near; // distance, place
    for (std::size_t i = 0; i < names.size() && asked.size() <= longest; ++i) {
        if (names[i].size() > longest) continue;
        const std::size_t d = edit_distance(asked, names[i]);
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
