// From a script module to an exported program.
#pragma once

#include <reel/script/exported_program.hpp>
#include <reel/script/module.hpp>

namespace reel::jit {

/// `torch.export.export` of a script module: its `forward` runs once with the example inputs on a copy of the module,
/// and the operators that ran become the program. What depends on sizes, numbers, `training` or other attributes is as
/// it was in that run (no size is dynamic); parameters and buffers are the module's own tensors. The program runs,
/// trains and is saved as one that was loaded (`ExportedProgram::save`, which `torch.export.load` reads).
/// Inputs: tensors and numbers, strings, bools and None, nested in lists, tuples and dicts; all but tensors are fixed.
/// Errors: NotImplementedError naming what an exported program cannot hold: a branch on the values of a tensor, a
/// change of an attribute, `fork`, an operator outside of aten; TypeError as for a call of `forward`.
ExportedProgram export_program(const Module& module, const Args& inputs, const Kwargs& kwargs = {});

} // namespace reel::jit
