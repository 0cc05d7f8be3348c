// Plans of cuFFT.
#pragma once

#include <reel/autograd/tensor.hpp>

namespace reel::cuda::fft {

enum class Kind : std::int64_t { complex, from_real, to_real };

/// Can the library be used?
bool is_available();
/// Transforms the last `rank` (1 to 3) dimensions of `in` to those of `out`, both dense; `from_real` and `to_real`
/// halve the last one of the complex side. May write over `in` of `to_real`. False, with nothing done, where the
/// library has no such transform. Throws Error with the op and what the library says for anything else.
bool run(const char* op, const Tensor& out, const Tensor& in, Kind kind, std::size_t rank, bool forward);

} // namespace reel::cuda::fft
