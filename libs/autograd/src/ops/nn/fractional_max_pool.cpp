// Maxima over windows at random places (B. Graham, Fractional Max-Pooling, 2014).
#include <reel/autograd/kernels/fractional_max_pool.hpp>
#include <reel/autograd/ops/index/gather.hpp>
#include <reel/autograd/ops/nn/fractional_max_pool.hpp>
#include <reel/autograd/ops/random/random.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include <cmath>
#include <limits>

#include "op/dispatch.hpp"
#include "ops/shape/shape_util.hpp"
#include "tensor/raw.hpp"

namespace reel {

using namespace detail;

namespace {

/// The sizes of one call, spatial dimensions from the outermost to the innermost.
struct FractionalPool {
    const char* op;
    std::int64_t rank, batch, channels;
    Dims in, out, kernel;
};

std::vector<std::int64_t> per_dimension(const char* op, const char* name, IntArrayRef values, std::int64_t rank) {
    REEL_CHECK(values.size() == 1 || std::int64_t(values.size()) == rank, op, ": ", name, " is ", values,
               "; expected one number or ", rank);
    return values.size() == 1 ? std::vector<std::int64_t>(std::size_t(rank), values[0]) : values.vec();
}
FractionalPool plan(const char* op, std::int64_t rank, const Tensor& input, IntArrayRef kernel_size,
                    OptionalIntArrayRef output_size, const std::optional<ArrayRef<double>>& output_ratio) {
    REEL_CHECK(input.dim() == rank + 1 || input.dim() == rank + 2, op, ": input has shape ", input.sizes(),
               "; expected ", rank + 1, " or ", rank + 2, " dimensions");
    REEL_CHECK_VALUE(output_size.has_value() || output_ratio.has_value(), op,
                     ": either output_size or output_ratio must be given");
    FractionalPool p{op, rank, input.dim() == rank + 2 ? input.size(0) : 1, input.size(-rank - 1), {}, {}, {}};
    for (const std::int64_t k : per_dimension(op, "kernel_size", kernel_size, rank)) p.kernel.push_back(k);
    for (std::int64_t i = 0; i < rank; ++i) p.in.push_back(input.size(i - rank));
    if (output_size.has_value()) {
        for (const std::int64_t n : per_dimension(op, "output_size", *output_size, rank)) p.out.push_back(n);
    } else {
        const ArrayRef<double> ratio = *output_ratio;
        REEL_CHECK(ratio.size() == 1 || std::int64_t(ratio.size()) == rank, op, ": output_ratio has ", ratio.size(),
                   " numbers; expected one or ", rank);
        for (std::size_t i = 0; i < std::size_t(rank); ++i) {
            const double r = ratio[ratio.size() == 1 ? 0 : i];
            REEL_CHECK_VALUE(r > 0 && r < 1, op, ": output_ratio is ", r, "; expected a number between 0 and 1");
            p.out.push_back(std::int64_t(double(p.in[i]) * r));
        }
    }
    REEL_CHECK(p.channels > 0, op, ": input has shape ", input.sizes(), "; expected at least one channel");
    for (std::size_t i = 0; i < std::size_t(rank); ++i) {
        REEL_CHECK(p.kernel[i] > 0 && p.out[i] > 0, op, ": kernel_size ", IntArrayRef(p.kernel), " and output_size ",
                   IntArrayRef(p.out), " must be positive");
        REEL_CHECK(p.out[i] <= p.in[i] && p.kernel[i] <= p.in[i] - p.out[i] + 1, op, ": windows of ", p.kernel[i],
                   " give at most ", p.in[i] - p.kernel[i] + 1, " outputs over a dimension of size ", p.in[i], ", but ",
                   p.out[i], " were asked for");
    }
    return p;
}
/// Places of the maxima in each image: [batch channels, outputs].
Tensor places_of_maxima(const FractionalPool& p, const Tensor& input, const Tensor& samples) {
    FractionalPoolGeometry g{p.batch * p.channels, p.rank};
    for (std::int64_t i = 0; i < p.rank; ++i) {
        const std::int64_t d = 3 - p.rank + i;
        g.in[d] = p.in[std::size_t(i)];
        g.out[d] = p.out[std::size_t(i)];
        g.kernel[d] = p.kernel[std::size_t(i)];
    }
    Tensor found = empty_raw({g.planes, g.out[0] * g.out[1] * g.out[2]}, kLong, input.device());
    kernels::fractional_max_pool(p.op, g, found, contiguous_raw(input), contiguous_raw(samples));
    return found;
}
std::tuple<Tensor, Tensor> pooled(const FractionalPool& p, const Tensor& input, const Tensor& samples) {
    Tensor random = samples;
    if (!random.defined())
        random = rand({p.batch, p.channels, p.rank}, TensorOptions(input.scalar_type()).device(input.device()));
    REEL_CHECK(random.scalar_type() == input.scalar_type(), p.op, ": _random_samples is ",
               dtype_name(random.scalar_type()), " and input is ", dtype_name(input.scalar_type()),
               "; expected one dtype");
    REEL_CHECK(random.dim() == 3 && random.size(0) >= p.batch && random.size(1) == p.channels &&
                   random.size(2) == p.rank,
               p.op, ": _random_samples has shape ", random.sizes(), "; expected [", p.batch, ", ", p.channels, ", ",
               p.rank, "]");
    Dims sizes(input.sizes());
    std::copy(p.out.begin(), p.out.end(), sizes.end() - p.rank);
    check_floating(input.scalar_type(), p.op);
    const Tensor found = places_of_maxima(p, input.detach(), random.detach());
    const Tensor values = gather(input.reshape({p.batch * p.channels, -1}), 1, found);
    return {values.reshape(sizes), found.reshape(sizes)};
}

} // namespace

/// The maxima of windows of `kernel_size` over input [C, H, W] or [N, C, H, W], and their places in the image. Exactly
/// one of `output_size` and `output_ratio` (of the input's size, in (0, 1)) says how many windows there are; their
/// places are random, by `_random_samples` [N, C, 2] in [0, 1) when given. The gradient goes where the maximum was.
REEL_OP("fractional_max_pool2d_with_indices(Tensor input, int[] kernel_size, int[]? output_size=None, "
        "float[]? output_ratio=None, bool return_indices=False, Tensor? _random_samples=None) -> (Tensor, Tensor)",
        composite, random, alias("nn.functional.fractional_max_pool2d_with_indices"),
        samples(call(numbers({1, 2, 6, 5}), 2, ints({3, 3}))))
std::tuple<Tensor, Tensor> fractional_max_pool2d_with_indices(const Tensor& input, IntArrayRef kernel_size,
                                                              OptionalIntArrayRef output_size,
                                                              std::optional<ArrayRef<double>> output_ratio,
                                                              bool return_indices, const Tensor& _random_samples) {
    (void)return_indices; // both, always
    return pooled(plan("fractional_max_pool2d", 2, input, kernel_size, output_size, output_ratio), input,
                  _random_samples);
}
/// One tensor, or a tuple of values and places with `return_indices`.
REEL_OP("nn.functional.fractional_max_pool2d(Tensor input, int[] kernel_size, int[]? output_size=None, "
        "float[]? output_ratio=None, bool return_indices=False, Tensor? _random_samples=None) -> Value",
        composite, random, cpp("fractional_max_pool2d_as"), samples(call(numbers({1, 2, 6, 5}), 2, ints({3, 3}))))
Value fractional_max_pool2d_as(const Tensor& input, IntArrayRef kernel_size, OptionalIntArrayRef output_size,
                               std::optional<ArrayRef<double>> output_ratio, bool return_indices,
                               const Tensor& _random_samples) {
    const auto r =
        fractional_max_pool2d_with_indices(input, kernel_size, output_size, output_ratio, true, _random_samples);
    return return_indices ? Value(r) : Value(std::get<0>(r));
}
/// The same over input [C, D, H, W] or [N, C, D, H, W]; `_random_samples` is [N, C, 3].
REEL_OP("fractional_max_pool3d_with_indices(Tensor input, int[] kernel_size, int[]? output_size=None, "
        "float[]? output_ratio=None, bool return_indices=False, Tensor? _random_samples=None) -> (Tensor, Tensor)",
        composite, random, alias("nn.functional.fractional_max_pool3d_with_indices"),
        samples(call(numbers({1, 5, 4, 6}), 2, ints({3, 2, 4}))))
std::tuple<Tensor, Tensor> fractional_max_pool3d_with_indices(const Tensor& input, IntArrayRef kernel_size,
                                                              OptionalIntArrayRef output_size,
                                                              std::optional<ArrayRef<double>> output_ratio,
                                                              bool return_indices, const Tensor& _random_samples) {
    (void)return_indices;
    return pooled(plan("fractional_max_pool3d", 3, input, kernel_size, output_size, output_ratio), input,
                  _random_samples);
}
/// One tensor, or a tuple of values and places with `return_indices`.
REEL_OP("nn.functional.fractional_max_pool3d(Tensor input, int[] kernel_size, int[]? output_size=None, "
        "float[]? output_ratio=None, bool return_indices=False, Tensor? _random_samples=None) -> Value",
        composite, random, cpp("fractional_max_pool3d_as"), samples(call(numbers({1, 5, 4, 6}), 2, ints({3, 2, 4}))))
Value fractional_max_pool3d_as(const Tensor& input, IntArrayRef kernel_size, OptionalIntArrayRef output_size,
                               std::optional<ArrayRef<double>> output_ratio, bool return_indices,
                               const Tensor& _random_samples) {
    const auto r =
        fractional_max_pool3d_with_indices(input, kernel_size, output_size, output_ratio, true, _random_samples);
    return return_indices ? Value(r) : Value(std::get<0>(r));
}

} // namespace reel
