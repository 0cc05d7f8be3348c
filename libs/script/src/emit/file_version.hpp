// Calls of older files that today's operators do not take (rule SC-95).
#pragma once

#include "match.hpp"

namespace reel::jit::emit {

/// While it lives, this thread compiles code of a file of that version.
class FileVersion {
public:
    explicit FileVersion(int version);
    ~FileVersion();
    FileVersion(const FileVersion&) = delete;

private:
    int before_;
};

/// Gives a call what it meant without saying so: `linspace` below 8 and `logspace` below 9 had 100 steps. False where
/// nothing is missing.
bool complete_old_call(Graph& graph, const SourceRange& range, Symbol name, Arguments& arguments);

} // namespace reel::jit::emit
