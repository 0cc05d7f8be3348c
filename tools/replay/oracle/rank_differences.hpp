// The cases of several ranks in which the reference is known to be wrong (doc/adr/0027): entries of differences.json
// that have a `kind`.
#pragma once

#include <filesystem>
#include <regex>
#include <string>
#include <vector>

namespace replay {

/// One entry: the cases of a kind whose names it finds. Of `collectives` each rank has what the call means for its
/// inputs, of `faults` each rank that returns in the reference gets an error.
struct RankDifference {
    std::string kind;             ///< collectives or faults
    std::string cases;            ///< a regular expression (ECMAScript) that is found in the case's name
    std::string error;            ///< of faults: the kind of the error
    std::string reason, evidence; ///< why the reference is wrong, and the figures that say so
    std::regex pattern;           ///< `cases`, compiled
    int met = 0, differed = 0;    ///< cases of the run that it is about, and how many of them differed
};

/// What differences.json lists about several ranks.
class RankDifferences {
public:
    RankDifferences() = default;
    /// Throws ValueError naming the entry when one is incomplete, is of another kind, or no regular expression.
    explicit RankDifferences(const std::filesystem::path& file);
    /// The entry about a case, null for most.
    RankDifference* find(const std::string& kind, const std::string& name);
    /// What is wrong with the entries after the run: all their cases are as the reference has them.
    std::vector<std::string> stale() const;

private:
    std::vector<RankDifference> entries_;
};

} // namespace replay
