// What pooling ops share: checked windows, and the recorded maps.
#pragma once

#include <tuple>

#include <reel/autograd/kernels/pool.hpp>

namespace reel::pool {

/// Windows and shapes of one call; `in` and `out` are the whole shapes.
struct Plan {
    PoolGeometry g;
    Dims in, out;
};
struct Arguments {
    IntArrayRef kernel_size;
    OptionalIntArrayRef stride; ///< the kernel when absent or empty
    IntArrayRef padding, dilation;
    bool ceil_mode = false, count_include_pad = true;
    std::optional<std::int64_t> divisor_override = std::nullopt;
};
/// Windows of fixed size over the last `n` dimensions of input ([C, ...] or [N, C, ...]).
Plan sliding(const char* op, std::size_t n, const Tensor& input, const Arguments& a);
/// Windows that split the last `n` dimensions into `output_size` parts; no_size keeps a dimension.
Plan adaptive(const char* op, std::size_t n, const Tensor& input, IntArrayRef output_size);

/// Maxima and their places in the image.
std::tuple<Tensor, Tensor> max(const char* op, const Plan& p, const Tensor& input);
Tensor window_means(const char* op, const Plan& p, const Tensor& input);
/// x[places] over images of the plan, and its adjoint.
Tensor pick(const Plan& p, const Tensor& x, const Tensor& places);
Tensor unpick(const Plan& p, const Tensor& y, const Tensor& places);

} // namespace reel::pool
