// Text inside of HTML and SVG.
#pragma once

#include <string>

namespace reel::inspect {

/// `<`, `>`, `&` and quotes made harmless.
std::string escaped_html(const std::string& text);

} // namespace reel::inspect
