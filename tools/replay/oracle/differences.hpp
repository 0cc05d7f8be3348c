// The cases in which the reference is known to be wrong (doc/adr/0027): read from differences.json, expected by the
// run.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/case_file.hpp"

namespace replay {

/// One entry: in this aspect, these cases of an op must not give what the reference has.
struct Difference {
    std::string op;                    ///< the file's stem
    std::optional<std::size_t> number; ///< of the case; none: every case of the file
    std::string inputs;                ///< `digest` of the case; the entry is for nothing else. Empty for every case
    std::string aspect;                ///< forward, in place, backward, double-backward, jvp or refused
    std::string reason, evidence;      ///< why the reference is wrong, and the figures that say so
    int compared = 0, differed = 0;    ///< how often this run came to the aspect, and how often it saw the difference
    bool other_inputs = false;         ///< the case of that number was drawn anew, the entry is not about it
    std::string text() const;          ///< `ops/lerp case 3, jvp`
};

/// Sixteen hexadecimal digits that name what goes into a case: arguments, cotangents and tangents, bit for bit.
std::string digest(const CaseFile& file, const json::object& data);

/// What differences.json lists.
class Differences {
public:
    Differences() = default;
    /// Throws ValueError naming the entry when one is incomplete, says an aspect that there is not, or comes twice.
    explicit Differences(const std::filesystem::path& file);

    /// The entry for an aspect of a case, or null.
    Difference* find(const CaseFile& file, std::size_t index, const json::object& data, const std::string& aspect);
    /// What is wrong with the entries of a file all of whose cases were run: no such case, no such aspect, no
    /// difference left. `partial`: not every aspect was run (a layout of the inputs), so that only the first is judged.
    std::vector<std::string> stale(const CaseFile& file, bool partial) const;
    /// How many entries are for cases that were drawn anew.
    std::size_t for_other_inputs() const;

private:
    std::vector<Difference> entries_;
};

} // namespace replay
