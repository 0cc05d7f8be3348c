// Text inside of HTML and SVG.
#include <reel/inspect/html.hpp>

namespace reel::inspect {

std::string escaped_html(const std::string& text) {
    std::string r;
    for (const char c : text) {
        if (c == '<') r += "&lt;";
        else if (c == '>') r += "&gt;";
        else if (c == '&') r += "&amp;";
        else if (c == '"') r += "&quot;";
        else r += c;
    }
    return r;
}

} // namespace reel::inspect
