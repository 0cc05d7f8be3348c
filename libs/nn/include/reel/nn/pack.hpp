// C++ types to values and back: what a module call does with its arguments when a hook looks.
#pragma once

#include <reel/nn/detail/pack.hpp>

namespace reel::nn {

/// What hooks see in place of `object`: tensors and plain values as they are, containers and structs with fields
/// (reel/nn/fields.hpp) taken apart, everything else boxed.
template <class T> Value to_value(const T& object) { return detail::pack(object); }
/// The object again, in a hook: `nn::from_value<Batch>(args[0])`. Throws TypeError naming the field, what came and what
/// was expected.
template <class T> T from_value(const Value& value) { return detail::unpack<T>(value); }

} // namespace reel::nn
