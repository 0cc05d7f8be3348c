// Is a text valid UTF-8?
#include "zip_reader.hpp"

namespace reel::serialize {

bool is_utf8(std::string_view s) {
    const auto* p = reinterpret_cast<const unsigned char*>(s.data());
    const auto* end = p + s.size();
    while (p < end) {
        const unsigned c = *p++;
        if (c < 0x80) continue;
        const int more = c >= 0xC2 && c < 0xE0 ? 1 : (c & 0xF0) == 0xE0 ? 2 : c >= 0xF0 && c < 0xF5 ? 3 : 0;
        if (!more || end - p < more) return false;
        // the second byte decides about overlong forms, surrogates and what lies beyond U+10FFFF
        const unsigned low = c == 0xE0   ? 0xA0
                             : c == 0xF0 ? 0x90
                                         : 0x80,
                       high = c == 0xED   ? 0x9F
                              : c == 0xF4 ? 0x8F
                                          : 0xBF;
        if (*p < low || *p > high) return false;
        ++p;
        for (int i = 1; i < more; ++i, ++p)
            if ((*p & 0xC0) != 0x80) return false;
    }
    return true;
}

} // namespace reel::serialize
