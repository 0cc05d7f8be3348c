#include "json_keys.hpp"

#include <unordered_set>
#include <vector>

#include <boost/json/basic_parser_impl.hpp>

namespace reel::serialize {

namespace {
struct KeyHandler {
    using error_code = boost::json::error_code;
    using string_view = boost::json::string_view;
    static constexpr std::size_t max_object_size = std::size_t(-1), max_array_size = std::size_t(-1),
                                 max_key_size = std::size_t(-1), max_string_size = std::size_t(-1);
    std::vector<std::unordered_set<std::string>> objects;
    std::string key, duplicate;
    bool found = false;

    bool on_document_begin(error_code&) { return true; }
    bool on_document_end(error_code&) { return true; }
    bool on_object_begin(error_code&) { return objects.emplace_back(), true; }
    bool on_object_end(std::size_t, error_code&) { return objects.pop_back(), true; }
    bool on_array_begin(error_code&) { return true; }
    bool on_array_end(std::size_t, error_code&) { return true; }
    bool on_key_part(string_view s, std::size_t, error_code&) { return key.append(s.data(), s.size()), true; }
    bool on_key(string_view s, std::size_t, error_code&) {
        key.append(s.data(), s.size());
        if (!objects.back().insert(key).second && !found) {
            found = true;
            duplicate = key;
        }
        key.clear();
        return true;
    }
    bool on_string_part(string_view, std::size_t, error_code&) { return true; }
    bool on_string(string_view, std::size_t, error_code&) { return true; }
    bool on_number_part(string_view, error_code&) { return true; }
    bool on_int64(std::int64_t, string_view, error_code&) { return true; }
    bool on_uint64(std::uint64_t, string_view, error_code&) { return true; }
    bool on_double(double, string_view, error_code&) { return true; }
    bool on_bool(bool, error_code&) { return true; }
    bool on_null(error_code&) { return true; }
    bool on_comment_part(string_view, error_code&) { return true; }
    bool on_comment(string_view, error_code&) { return true; }
};
} // namespace

bool has_duplicate_key(std::string_view text, std::string& key) {
    boost::json::basic_parser<KeyHandler> parser{boost::json::parse_options{}};
    boost::json::error_code ec;
    parser.write_some(false, text.data(), text.size(), ec);
    key = parser.handler().duplicate;
    return parser.handler().found;
}

} // namespace reel::serialize
