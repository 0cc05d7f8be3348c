// Reading differences.json and finding entries in it.
#include "script/differences.hpp"

#include <fstream>
#include <sstream>

#include <boost/json.hpp>

#include <reel/autograd/error.hpp>
#include <reel/script/module.hpp>

namespace replay::script {

using namespace reel;
namespace json = boost::json;

namespace {
std::string text_of(const json::object& entry, const char* field, const std::string& where) {
    const json::value* v = entry.if_contains(field);
    REEL_CHECK_VALUE(v && v->is_string() && !v->as_string().empty(), where, ": '", field,
                     "' is missing or no text; an entry has kind, source, example, reason and evidence");
    return std::string(v->as_string());
}
Difference read_entry(const json::value& v, const std::string& where) {
    REEL_CHECK_VALUE(v.is_object(), where, " is no object");
    const json::object& o = v.get_object();
    Difference d;
    d.kind = text_of(o, "kind", where);
    REEL_CHECK_VALUE(d.kind == "define" || d.kind == "refused", where, ": kind is '", d.kind,
                     "'; expected define or refused");
    d.source = text_of(o, "source", where);
    d.example = text_of(o, "example", where);
    d.reason = text_of(o, "reason", where);
    d.evidence = text_of(o, "evidence", where);
    try {
        d.pattern = std::regex(d.source);
    } catch (const std::regex_error& e) {
        REEL_THROW(ValueError, where, ": '", d.source, "' is no regular expression: ", e.what());
    }
    REEL_CHECK_VALUE(std::regex_search(d.example, d.pattern), where, ": '", d.source,
                     "' is not found in the entry's example");
    return d;
}
bool is_accepted(const std::string& text) {
    try {
        jit::Module("Example").define(text);
    } catch (const jit::ScriptError&) {
        return false;
    }
    return true;
}
} // namespace

Differences::Differences(const std::filesystem::path& file) {
    std::ifstream in(file);
    REEL_CHECK_VALUE(in, file.string(), ": cannot be read");
    std::stringstream text;
    text << in.rdbuf();
    boost::system::error_code wrong;
    const json::value list = json::parse(text.str(), wrong);
    REEL_CHECK_VALUE(!wrong && list.is_array(), file.string(), ": is not a JSON list: ", wrong.message());
    for (const json::value& v : list.get_array())
        entries_.push_back(read_entry(v, str(file.string(), ": entry ", entries_.size())));
}

bool Differences::lists(const std::string& kind, const std::string& source, bool differs) {
    bool listed = false;
    for (Difference& d : entries_) {
        if (d.kind != kind || !std::regex_search(source, d.pattern)) continue;
        ++d.met;
        d.differed += differs;
        listed = true;
    }
    return listed;
}

std::vector<std::string> Differences::stale() const {
    std::vector<std::string> wrong;
    for (const Difference& d : entries_)
        if ((d.met > 0 && d.differed == 0) || is_accepted(d.example) != (d.kind == "refused"))
            wrong.push_back(str(d.kind, " of texts with /", d.source,
                                "/: as the reference has it, though listed as different (", d.reason,
                                "); take the entry out of the list"));
    return wrong;
}

} // namespace replay::script
