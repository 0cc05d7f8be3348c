// The `reduction` argument of losses.
#pragma once

#include <string_view>

#include <reel/autograd/ops/reduce/reduce.hpp>

namespace reel {

enum class Reduce { None, Mean, Sum };
/// Throws ValueError naming the op for anything but 'none', 'mean' and 'sum'.
inline Reduce reduction_of(const char* op, std::string_view name) {
    REEL_CHECK_VALUE(name == "none" || name == "mean" || name == "sum", op, ": reduction is '", name,
                     "'; expected 'none', 'mean' or 'sum'");
    return name == "none" ? Reduce::None : name == "mean" ? Reduce::Mean : Reduce::Sum;
}
inline Tensor reduced(const Tensor& t, Reduce r) {
    return r == Reduce::None ? t : r == Reduce::Mean ? mean(t) : sum(t);
}

} // namespace reel
