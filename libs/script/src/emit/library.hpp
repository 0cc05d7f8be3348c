// The names that programs find without defining them: Python's functions, `torch`, `math`.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "meaning.hpp"

namespace reel::jit::emit {

/// A name without dots. `archive`: as archives' texts see it, where `torch` holds operators alone.
std::optional<Meaning> library_name(const std::string& name, bool archive);
/// An attribute of `torch`, `math` and what is in them. Functions and classes that are written in the language itself
/// are compiled into `unit` when they are first named. `constant` makes the value of a number.
std::optional<Meaning> library_attribute(const Namespace& ns, const std::string& name, CompilationUnit& unit,
                                         bool archive, const std::function<Meaning(const IValue&)>& constant);
/// The operator behind `x.shape`, `x.dtype`, ...; null when the name is none of these.
const char* tensor_property(const std::string& name);
/// The number of the dtype behind `x.float()`, `x.long()`, ...; `bool` and `bfloat16` are none of the language.
std::optional<std::int64_t> tensor_cast(const std::string& name);
/// A function of the library's texts, compiled into `unit` when it is first named; null when there is none.
Function* library_function(const std::string& module, const std::string& name, CompilationUnit& unit);
/// `sub(2, x)` for numbers and tensors, which no operator has: as other calls. Null when the name has no such form.
Value* call_reversed(Graph& graph, const SourceRange& range, Symbol name, const std::vector<Value*>& operands);

/// The text of a function of the library, `relu` of `torch.nn.functional`; empty when the library has none.
const char* library_text(const std::string& module);

} // namespace reel::jit::emit
