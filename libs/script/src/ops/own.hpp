// Operators that run here rather than in the tensor library: numbers, strings, lists, dicts, questions to tensors
// (rule SC-92), and those whose arguments differ too much to be mapped.
#pragma once

#include <span>
#include <string_view>

#include <reel/autograd/value.hpp>

namespace reel::jit::own {

using Run = IValue (*)(std::span<IValue> arguments);
using RunPair = IValue (*)(const IValue& a, const IValue& b);

/// `name` is `aten::add.str`, or `aten::add.*` for all overloads of the name that take no tensor and have no line of
/// their own.
struct Line {
    std::string_view name;
    Run run;
    bool has_side_effects = false;
    RunPair run_pair = nullptr; ///< the same, without a row of arguments
};

std::span<const Line> arithmetic();
std::span<const Line> math();
std::span<const Line> comparisons();
std::span<const Line> strings();
std::span<const Line> formats();
std::span<const Line> lists();
std::span<const Line> dicts();
std::span<const Line> tensors();
std::span<const Line> factories();
std::span<const Line> layers();
std::span<const Line> attention();
std::span<const Line> quantization();
std::span<const Line> decomposed();
std::span<const Line> inner();
std::span<const Line> programs();
std::span<const Line> gradients();
std::span<const Line> linalg();

} // namespace reel::jit::own
