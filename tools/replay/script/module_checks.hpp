// What a case says of a module: its class, members, state and the texts of its methods.
#pragma once

#include "script/notation.hpp"
#include "script/report.hpp"

namespace replay::script {

/// `methods`: NAME -> graph, inlined graph, code, constants and schema.
void check_methods(Case& c, const reel::jit::Module& module, const json::object& methods, const Values& values);
/// Everything else but runs and files.
void check_module(Case& c, const reel::jit::Module& module, const json::object& expected, const Values& values,
                  const Closeness& closeness = {});

} // namespace replay::script
