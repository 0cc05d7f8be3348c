// Reading differences.json and finding entries in it.
#include "script/differences.hpp"

#include <reel/autograd/error.hpp>
#include <reel/script/module.hpp>

#include "common/difference_entries.hpp"

namespace replay::script {

using namespace reel;

namespace {
Difference read_entry(const json::object& o, const std::string& where) {
    const auto text = [&](const char* field) {
        return text_of(o, field, where, "kind, source, example, reason and evidence");
    };
    Difference d;
    d.kind = text("kind");
    REEL_CHECK_VALUE(d.kind == "define" || d.kind == "refused", where, ": kind is '", d.kind,
                     "'; expected define or refused");
    d.source = text("source");
    d.example = text("example");
    d.reason = text("reason");
    d.evidence = text("evidence");
    d.pattern = pattern_of(d.source, where);
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
    for_each_entry(file,
                   [&](const json::object& o, const std::string& where) { entries_.push_back(read_entry(o, where)); });
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
