// Maxima over sliding and adaptive windows, and placing elements back.
#include <reel/autograd/ops/nn/max_pool.hpp>
#include <reel/autograd/record.hpp>

#include "ops/nn/pool.hpp"

namespace reel {

namespace {
Value with_places_or_alone(const std::tuple<Tensor, Tensor>& r, bool return_indices) {
    return return_indices ? Value(r) : Value(std::get<0>(r));
}
} // namespace

/// Over windows of `rank` dimensions.
#define REEL_MAX_POOL_WITH_INDICES(rank)                                                                               \
    std::tuple<Tensor, Tensor> max_pool##rank##d_with_indices(const Tensor& input, IntArrayRef kernel_size,            \
                                                              OptionalIntArrayRef stride, IntArrayRef padding,         \
                                                              IntArrayRef dilation, bool ceil_mode) {                  \
        const char* const op = "max_pool" #rank "d";                                                                   \
        return pool::max(op, pool::sliding(op, rank, input, {kernel_size, stride, padding, dilation, ceil_mode}),      \
                         input);                                                                                       \
    }
#define REEL_MAX_POOL(rank)                                                                                            \
    Tensor max_pool##rank##d(const Tensor& input, IntArrayRef kernel_size, OptionalIntArrayRef stride,                 \
                             IntArrayRef padding, IntArrayRef dilation, bool ceil_mode) {                              \
        return std::get<0>(max_pool##rank##d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode));  \
    }                                                                                                                  \
    Value max_pool##rank##d_as(const Tensor& input, IntArrayRef kernel_size, OptionalIntArrayRef stride,               \
                               IntArrayRef padding, IntArrayRef dilation, bool ceil_mode, bool return_indices) {       \
        return with_places_or_alone(                                                                                   \
            max_pool##rank##d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode), return_indices); \
    }
/// Over the parts of `rank` dimensions.
#define REEL_ADAPTIVE_MAX_POOL(rank)                                                                                   \
    std::tuple<Tensor, Tensor> adaptive_max_pool##rank##d(const Tensor& input, IntArrayRef output_size) {              \
        const char* const op = "adaptive_max_pool" #rank "d";                                                          \
        return pool::max(op, pool::adaptive(op, rank, input, output_size), input);                                     \
    }
#define REEL_ADAPTIVE_MAX_POOL_AS(rank)                                                                                \
    Value adaptive_max_pool##rank##d_as(const Tensor& input, IntArrayRef output_size, bool return_indices) {           \
        return with_places_or_alone(adaptive_max_pool##rank##d(input, output_size), return_indices);                   \
    }

/// The largest element of each window of input [C, L] or [N, C, L] and its place in the image. The gradient goes there.
REEL_OP("max_pool1d_with_indices(Tensor input, int[] kernel_size, int[]? stride=None, int[] padding=0, int[] "
        "dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)",
        rule, samples(call(numbers({2, 3, 6}), ints({2}))))
REEL_MAX_POOL_WITH_INDICES(1)
REEL_OP("max_pool1d(Tensor input, int[] kernel_size, int[]? stride=None, int[] padding=0, int[] dilation=1, bool "
        "ceil_mode=False) -> Tensor",
        composite, samples(call(numbers({2, 3, 6}), ints({2}))))
/// One tensor, or a tuple of values and places with `return_indices`.
REEL_OP("nn.functional.max_pool1d(Tensor input, int[] kernel_size, int[]? stride=None, int[] padding=0, int[] "
        "dilation=1, bool ceil_mode=False, "
        "bool return_indices=False) -> Value",
        composite, cpp("max_pool1d_as"))
REEL_MAX_POOL(1)

/// The largest element of each window of input [C, H, W] or [N, C, H, W] and its place in the image. The gradient goes
/// there.
REEL_OP("max_pool2d_with_indices(Tensor input, int[] kernel_size, int[]? stride=None, int[] padding=0, int[] "
        "dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)",
        rule, samples(call(numbers({2, 2, 4, 5}), ints({2, 2}))))
REEL_MAX_POOL_WITH_INDICES(2)
REEL_OP("max_pool2d(Tensor input, int[] kernel_size, int[]? stride=None, int[] padding=0, int[] dilation=1, bool "
        "ceil_mode=False) -> Tensor",
        composite, samples(call(numbers({2, 2, 4, 5}), ints({2, 2}))))
/// One tensor, or a tuple of values and places with `return_indices`.
REEL_OP("nn.functional.max_pool2d(Tensor input, int[] kernel_size, int[]? stride=None, int[] padding=0, int[] "
        "dilation=1, bool ceil_mode=False, "
        "bool return_indices=False) -> Value",
        composite, cpp("max_pool2d_as"))
REEL_MAX_POOL(2)

/// The largest element of each window of input [C, D, H, W] or [N, C, D, H, W] and its place in the image. The gradient
/// goes there.
REEL_OP("max_pool3d_with_indices(Tensor input, int[] kernel_size, int[]? stride=None, int[] padding=0, int[] "
        "dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)",
        rule, samples(call(numbers({1, 2, 4, 4, 4}), ints({2, 2, 2}))))
REEL_MAX_POOL_WITH_INDICES(3)
REEL_OP("max_pool3d(Tensor input, int[] kernel_size, int[]? stride=None, int[] padding=0, int[] dilation=1, bool "
        "ceil_mode=False) -> Tensor",
        composite, samples(call(numbers({1, 2, 4, 4, 4}), ints({2, 2, 2}))))
/// One tensor, or a tuple of values and places with `return_indices`.
REEL_OP("nn.functional.max_pool3d(Tensor input, int[] kernel_size, int[]? stride=None, int[] padding=0, int[] "
        "dilation=1, bool ceil_mode=False, "
        "bool return_indices=False) -> Value",
        composite, cpp("max_pool3d_as"))
REEL_MAX_POOL(3)

/// The largest element of each of `output_size` parts of the image (None: as many as the input has) and its place.
REEL_OP("adaptive_max_pool1d(Tensor input, int?[] output_size) -> (Tensor, Tensor)", rule,
        samples(call(numbers({2, 3, 6}), ints({4}))))
REEL_ADAPTIVE_MAX_POOL(1)
REEL_OP("nn.functional.adaptive_max_pool1d(Tensor input, int?[] output_size, bool return_indices=False) -> Value",
        composite, cpp("adaptive_max_pool1d_as"))
REEL_ADAPTIVE_MAX_POOL_AS(1)

/// The largest element of each of `output_size` parts of the image (None: as many as the input has) and its place.
REEL_OP("adaptive_max_pool2d(Tensor input, int?[] output_size) -> (Tensor, Tensor)", rule,
        samples(call(numbers({2, 2, 4, 5}), ints({3, 2}))))
REEL_ADAPTIVE_MAX_POOL(2)
REEL_OP("nn.functional.adaptive_max_pool2d(Tensor input, int?[] output_size, bool return_indices=False) -> Value",
        composite, cpp("adaptive_max_pool2d_as"))
REEL_ADAPTIVE_MAX_POOL_AS(2)

/// The largest element of each of `output_size` parts of the image (None: as many as the input has) and its place.
REEL_OP("adaptive_max_pool3d(Tensor input, int?[] output_size) -> (Tensor, Tensor)", rule,
        samples(call(numbers({1, 2, 4, 4, 4}), ints({3, 2, 2}))))
REEL_ADAPTIVE_MAX_POOL(3)
REEL_OP("nn.functional.adaptive_max_pool3d(Tensor input, int?[] output_size, bool return_indices=False) -> Value",
        composite, cpp("adaptive_max_pool3d_as"))
REEL_ADAPTIVE_MAX_POOL_AS(3)

} // namespace reel
