// The cases in which the reference is known to be wrong (doc/adr/0027): read from differences.json, expected by the
// run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/case_file.hpp"

namespace replay {

/// One entry: in this aspect, a case of an op must not give what the reference has; or every case of the file may not,
/// of one dtype if it names one, and the case that it names for it must not.
struct Difference {
    std::string op;               ///< the file's stem
    std::size_t number = 0;       ///< of the case
    std::string inputs;           ///< `digest` of that case: drawn anew, it is another one
    bool every = false;           ///< the entry covers the other cases too
    std::string dtype;            ///< of the cases that it covers; empty for all
    std::string aspect;           ///< forward, in place, backward, double-backward, jvp or refused
    std::string reason, evidence; ///< why the reference is wrong, and the figures that say so
    bool met = false;             ///< the case was run, with these inputs
    bool compared = false;        ///< and had the aspect
    bool differed = false;        ///< and differed in it
    std::string text() const;     ///< `ops/lerp case 3, jvp`
};

/// Sixteen hexadecimal digits that name what goes into a case: arguments, cotangents and tangents, bit for bit.
std::string digest(const CaseFile& file, const json::object& data);

/// What differences.json lists.
class Differences {
public:
    Differences() = default;
    /// Throws ValueError naming the entry when one is incomplete, says an aspect that there is not, or comes twice.
    /// Entries that name a device count only on that one.
    Differences(const std::filesystem::path& file, const std::string& device);

    /// Is `aspect` of a case listed? `differs`: what the run found.
    bool lists(const CaseFile& file, std::size_t index, const json::object& data, const std::string& aspect,
               bool differs);
    /// What is wrong with the entries of a file all of whose cases were run: no such case, no such aspect, no
    /// difference left. `partial`: not every aspect was run (a layout of the inputs), so that the second is not judged.
    std::vector<std::string> stale(const CaseFile& file, bool partial) const;
    /// How many entries about `file` name a case that was drawn anew.
    std::size_t for_other_inputs(const CaseFile& file) const;

private:
    std::vector<Difference> entries_;
};

} // namespace replay
