// How the check of indices is kept: it is made in every run.
#pragma once

#include <reel/autograd/kernels/index.hpp>

#include "replay/kernel_calls.hpp"

namespace reel::jit::replay {

/// Whether an index is negative must not decide what is recorded: it answers that one is, and all are wrapped.
void check_index_stand(const char* op, const Tensor& index, std::int64_t size, bool wrap, bool& negative);
template <> inline constexpr auto own_stand<kernels::check_index> = &check_index_stand;

} // namespace reel::jit::replay
