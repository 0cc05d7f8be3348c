// Running a module as a case says, and comparing everything that comes of it.
#pragma once

#include "script/notation.hpp"
#include "script/report.hpp"

namespace replay::script {

/// One entry of `runs`, on a module that was just loaded.
void check_run(Case& c, const std::string& where, reel::jit::Module module, const json::object& run,
               const Values& values, const Closeness& closeness = {});

/// Gradients of the sum of all floating outputs, by `leaves` and by the module's parameters.
void check_gradients(Case& c, const std::string& where, const reel::nn::Module& module,
                     const std::vector<reel::Tensor>& leaves, const reel::IValue& output, const json::object& expected,
                     const Values& values, const Closeness& closeness = {});
/// Entries of the state dict that a run changed.
void check_state(Case& c, const std::string& where, const reel::nn::StateDict& state, const json::object& changed,
                 const Values& values, const Closeness& closeness = {});
/// The tensors among the arguments that require grad.
std::vector<reel::Tensor> leaves_of(const reel::Args& args);

/// Whether the error is the one of the case: what the code raised by class and message, anything else by being one.
std::string error_difference(const std::exception& e, const json::object& expected);

} // namespace replay::script
