// Normalisation across neighbouring channels.
#include <reel/autograd/ops/nn/local_response_norm.hpp>
#include <reel/autograd/ops/pointwise/power.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "ops/nn/pool.hpp"
#include "tensor/checked_size.hpp"

namespace reel {

/// x / (k + alpha mean of x^2 over `size` neighbouring channels)^beta for input [N, C, ...]; channels beyond the ends
/// count as zeros.
REEL_OP("nn.functional.local_response_norm(Tensor input, int size, float alpha=0.0001, float beta=0.75, float k=1.0) "
        "-> Tensor",
        rule)
Tensor local_response_norm(const Tensor& input, std::int64_t size, double alpha, double beta, double k) {
    REEL_CHECK_VALUE(input.dim() >= 3, "local_response_norm: input has shape ", input.sizes(),
                     "; expected at least three dimensions, [N, C, ...]");
    REEL_CHECK_VALUE(size > 0, "local_response_norm: size is ", size, "; expected a positive number");
    if (input.numel() == 0) return input;
    // The channels are the rows of one image per example, the rest its columns.
    pool::Plan p;
    p.in = Dims(input.sizes());
    p.out = p.in;
    p.g.planes = input.size(0);
    const std::int64_t channels = input.size(1), rest = input.numel() / (channels * input.size(0));
    p.g.in[1] = p.g.out[1] = channels;
    p.g.in[2] = p.g.out[2] = rest;
    p.g.windows[0].push_back({0, 1, 1, 1});
    const std::int64_t before = size / 2, after = std::min((size - 1) / 2, channels);
    for (std::int64_t c = 0; c < channels; ++c)
        p.g.windows[1].push_back({std::max<std::int64_t>(0, c - before), std::min(channels, c + after + 1), 1, size});
    detail::checked_reserve("local_response_norm", "windows", p.g.windows[2], rest);
    for (std::int64_t i = 0; i < rest; ++i) p.g.windows[2].push_back({i, i + 1, 1, 1});
    const Tensor mean = pool::window_means("local_response_norm", p, input * input);
    return input / pow(mean * alpha + k, Scalar(beta));
}

} // namespace reel
