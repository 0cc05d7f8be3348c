// Which of some names is meant by one that is not among them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace reel::rl::detail {

/// At most three names of at most half the letters' distance, nearest first.
std::vector<std::string> nearest_names(std::string_view asked, const std::vector<std::string>& names);
/// "; the nearest: A, B; there are A, B, C" (without the first part when nothing is near).
std::string nearest_names_text(std::string_view asked, const std::vector<std::string>& names);

} // namespace reel::rl::detail
