// What a case says of a module: its class, members, state and the texts of its methods.
#pragma once

#include "script/notation.hpp"
#include "script/report.hpp"

namespace replay::script {

/// `methods`: NAME -> graph, inlined graph, code, constants and schema.
void check_methods(Case& c, const reel::jit::Module& module, const json::object& methods, const Values& values);
/// Graph and code of one method alone.
void check_texts(Case& c, const reel::jit::Method& method, const std::string& graph, const std::string& code,
                 const std::string& where);
/// Everything else but runs and files.
void check_module(Case& c, const reel::jit::Module& module, const json::object& expected, const Values& values,
                  const Closeness& closeness = {});

} // namespace replay::script
