// Reading the entries of differences.json about several ranks.
#include "oracle/rank_differences.hpp"

#include <reel/autograd/error.hpp>

#include "common/difference_entries.hpp"

namespace replay {

using namespace reel;

namespace {
RankDifference read_entry(const json::object& o, const std::string& where) {
    RankDifference d;
    const char* const fields = "kind, cases, reason and evidence";
    d.kind = text_of(o, "kind", where, fields);
    REEL_CHECK_VALUE(d.kind == "collectives" || d.kind == "faults", where, ": kind is '", d.kind,
                     "'; expected collectives or faults, or no kind for cases of ops");
    d.cases = text_of(o, "cases", where, fields);
    d.reason = text_of(o, "reason", where, fields);
    d.evidence = text_of(o, "evidence", where, fields);
    if (d.kind == "faults") d.error = text_of(o, "error", where, "kind, cases, error, reason and evidence");
    d.pattern = pattern_of(d.cases, where);
    return d;
}
} // namespace

RankDifferences::RankDifferences(const std::filesystem::path& file) {
    for_each_entry(file, [&](const json::object& o, const std::string& where) {
        if (o.contains("kind")) entries_.push_back(read_entry(o, where));
    });
}

RankDifference* RankDifferences::find(const std::string& kind, const std::string& name) {
    for (RankDifference& d : entries_)
        if (d.kind == kind && std::regex_search(name, d.pattern)) return &d;
    return nullptr;
}

std::vector<std::string> RankDifferences::stale() const {
    std::vector<std::string> wrong;
    for (const RankDifference& d : entries_)
        if (d.met > 0 && d.differed == 0)
            wrong.push_back(str(d.kind, " called /", d.cases, "/: equal the reference, though listed as different (",
                                d.reason, "); take the entry out of the list"));
    return wrong;
}

} // namespace replay
