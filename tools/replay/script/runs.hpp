// Running a module as a case says, and comparing everything that comes of it.
#pragma once

#include "script/notation.hpp"
#include "script/report.hpp"

namespace replay::script {

/// One entry of `runs`, on a module that was just loaded.
void check_run(Case& c, const std::string& where, reel::jit::Module module, const json::object& run,
               const Values& values, const Closeness& closeness = {});

/// Whether the error is the one of the case: what the code raised by class and message, anything else by being one.
std::string error_difference(const std::exception& e, const json::object& expected);

} // namespace replay::script
