// How tensors and modules are printed.
#pragma once

#include <optional>

namespace reel {

/// Floating-point numbers in scientific notation: always (true), never (false), or where their range asks for it
/// (nullopt, the default). For the whole process.
void set_printoption_sci_mode(std::optional<bool> sci_mode);

/// Whose form modules, index expressions and index lists have in a stream: Python's,
/// `Linear(in_features=2, out_features=3, bias=True)`, or libtorch's,
/// `reel::nn::Linear(in_features=2, out_features=3, bias=true)`, with C++'s names and words and one line for every
/// child of a list. What `Module::repr` returns is Python's in both.
enum class Printing { python, libtorch };
/// For the whole process; `Printing::python` until then.
void set_printing(Printing form);
Printing printing();

} // namespace reel
