#include "common/difference_entries.hpp"

#include <fstream>
#include <sstream>

#include <reel/autograd/error.hpp>

namespace replay {

using namespace reel;

void for_each_entry(const std::filesystem::path& file,
                    const std::function<void(const json::object& entry, const std::string& where)>& f) {
    std::ifstream in(file);
    REEL_CHECK_VALUE(in, file.string(), ": cannot be read");
    std::stringstream text;
    text << in.rdbuf();
    boost::system::error_code wrong;
    const json::value list = json::parse(text.str(), wrong);
    REEL_CHECK_VALUE(!wrong && list.is_array(), file.string(), ": is not a JSON list: ", wrong.message());
    std::size_t i = 0;
    for (const json::value& v : list.get_array()) {
        const std::string where = str(file.string(), ": entry ", i++);
        REEL_CHECK_VALUE(v.is_object(), where, " is no object");
        f(v.get_object(), where);
    }
}

std::string text_of(const json::object& entry, const char* field, const std::string& where, const char* fields) {
    const json::value* v = entry.if_contains(field);
    REEL_CHECK_VALUE(v && v->is_string() && !v->as_string().empty(), where, ": '", field,
                     "' is missing or no text; an entry has ", fields);
    return std::string(v->as_string());
}

std::regex pattern_of(const std::string& text, const std::string& where) {
    try {
        return std::regex(text);
    } catch (const std::regex_error& e) {
        REEL_THROW(ValueError, where, ": '", text, "' is no regular expression: ", e.what());
    }
}

} // namespace replay
