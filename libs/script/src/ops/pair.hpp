// Operators on two numbers of one kind, at once.
#pragma once

#include "ops/own.hpp"

namespace reel::jit::own {

/// Two integers or two floats; of whatever else there is, what `general` makes.
template <Run general, auto of_ints, auto of_floats> IValue pair(const IValue& a, const IValue& b) {
    if (a.isInt() && b.isInt()) return of_ints(a.toInt(), b.toInt());
    if (a.isDouble() && b.isDouble()) return of_floats(a.toDouble(), b.toDouble());
    IValue both[] = {a, b};
    return general(std::span<IValue>(both, 2));
}

} // namespace reel::jit::own
