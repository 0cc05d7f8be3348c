// Normalisation across neighbouring channels, as the layer CrossMapLRN2d has it.
#include <reel/autograd/ops/nn/cross_map_lrn.hpp>
#include <reel/autograd/ops/pointwise/power.hpp>
#include <reel/autograd/ops/shape/pad.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

namespace reel {

/// x / (k + alpha / size s)^beta for input [N, C, H, W], where s is the sum of x^2 over the channels up to (size - 1) /
/// 2 away; channels beyond the ends count as zeros. Errors: Error for other ranks, ValueError for sizes below one.
REEL_OP("cross_map_lrn2d(Tensor input, int size, float alpha=0.0001, float beta=0.75, float k=1) -> Tensor", composite,
        samples(call(numbers({2, 5, 2, 2}), 3, 0.5)))
Tensor cross_map_lrn2d(const Tensor& input, std::int64_t size, double alpha, double beta, double k) {
    REEL_CHECK(input.dim() == 4, "cross_map_lrn2d: input has shape ", input.sizes(), "; expected [N, C, H, W]");
    REEL_CHECK_VALUE(size > 0, "cross_map_lrn2d: size is ", size, "; expected a positive number");
    const std::int64_t reach = std::min((size - 1) / 2, input.size(1));
    const Tensor squares = constant_pad_nd(input * input, {0, 0, 0, 0, reach, reach});
    const Tensor sums = squares.unfold(1, 2 * reach + 1, 1).sum(-1);
    return input * pow(sums * (alpha / double(size)) + k, Scalar(-beta));
}

} // namespace reel
