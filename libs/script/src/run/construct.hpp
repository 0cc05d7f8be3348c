// Tuples, lists and dicts of values.
#pragma once

#include <span>

#include <reel/autograd/value.hpp>

namespace reel::jit::construct {

IValue tuple(std::span<IValue> elements);
IValue list(std::span<IValue> elements);
/// Keys and values take turns.
IValue dict(std::span<IValue> items);

} // namespace reel::jit::construct
