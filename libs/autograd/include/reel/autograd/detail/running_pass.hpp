// What the backward pass that runs on this thread is about, for whoever counts on all of it.
#pragma once

#include <cstddef>

#include <reel/autograd/tensor.hpp>

namespace reel::autograd::impl {

/// Was the pass asked for certain inputs (`grad`, or `backward` with inputs)? False where none runs.
bool pass_is_restricted() noexcept;
/// Does the pass accumulate into `leaf`, or did it already? False where none runs.
bool accumulates_into(const Tensor& leaf);
/// Hooks that run when `leaf` has accumulated: post-accumulate hooks, and post-hooks of its node.
std::size_t hooks_after_accumulation(const Tensor& leaf);

} // namespace reel::autograd::impl
