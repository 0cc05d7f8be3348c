// Starts workers, watches them, and collects what they and their ends have to tell.
#pragma once

#include "op_fuzz/worker.hpp"

namespace op_fuzz {

/// Runs for the time that the options give; prints findings and totals. True when there was no finding.
bool supervise(const Options& options, const std::vector<std::string>& ops);

/// Runs the one call that the options name in a process of its own. True when it ended by itself.
bool rerun(const Options& options);

} // namespace op_fuzz
