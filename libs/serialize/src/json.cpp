// A handler of Boost.JSON's own parser that converts fractions itself.
#include <reel/serialize/detail/json.hpp>

#include <charconv>
#include <limits>
#include <string>

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value.hpp>
#include <boost/json/value_stack.hpp>

namespace reel::serialize {

namespace {
namespace json = boost::json;

struct Handler {
    using error_code = json::error_code;
    using string_view = json::string_view;
    static constexpr std::size_t max_object_size = std::size_t(-1), max_array_size = std::size_t(-1),
                                 max_key_size = std::size_t(-1), max_string_size = std::size_t(-1);
    json::value_stack made;
    std::string number; ///< its digits so far

    bool on_document_begin(error_code&) { return true; }
    bool on_document_end(error_code&) { return true; }
    bool on_object_begin(error_code&) { return true; }
    bool on_object_end(std::size_t n, error_code&) { return made.push_object(n), true; }
    bool on_array_begin(error_code&) { return true; }
    bool on_array_end(std::size_t n, error_code&) { return made.push_array(n), true; }
    bool on_key_part(string_view s, std::size_t, error_code&) { return made.push_chars(s), true; }
    bool on_key(string_view s, std::size_t, error_code&) { return made.push_key(s), true; }
    bool on_string_part(string_view s, std::size_t, error_code&) { return made.push_chars(s), true; }
    bool on_string(string_view s, std::size_t, error_code&) { return made.push_string(s), true; }
    bool on_number_part(string_view s, error_code&) { return number.append(s.data(), s.size()), true; }
    bool on_int64(std::int64_t i, string_view, error_code&) { return number.clear(), made.push_int64(i), true; }
    bool on_uint64(std::uint64_t u, string_view, error_code&) { return number.clear(), made.push_uint64(u), true; }
    bool on_double(double near, string_view s, error_code&) {
        number.append(s.data(), s.size());
        double exact = near;
        // What is out of range is left as the library has it: zero or infinity, with its sign.
        std::from_chars(number.data(), number.data() + number.size(), exact);
        number.clear();
        return made.push_double(exact), true;
    }
    bool on_bool(bool b, error_code&) { return made.push_bool(b), true; }
    bool on_null(error_code&) { return made.push_null(), true; }
    bool on_comment_part(string_view, error_code&) { return true; }
    bool on_comment(string_view, error_code&) { return true; }
};
} // namespace

json::value parse_json(std::string_view text, std::size_t max_depth) {
    json::parse_options options;
    options.max_depth = max_depth;
    json::basic_parser<Handler> parser{options};
    parser.handler().made.reset();
    json::error_code ec;
    const std::size_t n = parser.write_some(false, text.data(), text.size(), ec);
    if (!ec && n < text.size()) ec = json::error::extra_data;
    if (ec) throw json::system_error(json::error_code(ec.value(), ec.category())); // without places in the library
    return parser.handler().made.release();
}

} // namespace reel::serialize
