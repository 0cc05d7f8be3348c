// Initialisation of parameters, in place, under no-grad. Random ones draw PyTorch's stream.
#pragma once

#include <optional>
#include <utility>

#include <reel/autograd/enum.hpp>
#include <reel/autograd/random.hpp>

namespace reel::nn::init {

using NonlinearityType = Choice<enumtype::kLinear, enumtype::kConv1D, enumtype::kConv2D, enumtype::kConv3D,
                                enumtype::kConvTranspose1D, enumtype::kConvTranspose2D, enumtype::kConvTranspose3D,
                                enumtype::kSigmoid, enumtype::kTanh, enumtype::kReLU, enumtype::kLeakyReLU>;
using FanModeType = Choice<enumtype::kFanIn, enumtype::kFanOut>;

/// The factor that keeps variances through a non-linearity; `param` is leaky ReLU's slope.
double calculate_gain(NonlinearityType nonlinearity, double param = 0.01);
/// (fan_in, fan_out) of a weight with at least two dimensions.
std::pair<std::int64_t, std::int64_t> _calculate_fan_in_and_fan_out(const Tensor& t);

Tensor uniform_(Tensor t, double low = 0, double high = 1, std::optional<Generator> generator = std::nullopt);
Tensor normal_(Tensor t, double mean = 0, double std = 1, std::optional<Generator> generator = std::nullopt);
Tensor constant_(Tensor t, const Scalar& value);
Tensor ones_(Tensor t);
Tensor zeros_(Tensor t);
/// U(+-gain sqrt(6 / (fan_in + fan_out))).
Tensor xavier_uniform_(Tensor t, double gain = 1, std::optional<Generator> generator = std::nullopt);
/// N(0, gain^2 2 / (fan_in + fan_out)).
Tensor xavier_normal_(Tensor t, double gain = 1, std::optional<Generator> generator = std::nullopt);
/// U(+-gain sqrt(3 / fan)); `a` is the slope of a leaky ReLU.
Tensor kaiming_uniform_(Tensor t, double a = 0, FanModeType mode = kFanIn, NonlinearityType nonlinearity = kLeakyReLU,
                        std::optional<Generator> generator = std::nullopt);
/// N(0, gain^2 / fan).
Tensor kaiming_normal_(Tensor t, double a = 0, FanModeType mode = kFanIn, NonlinearityType nonlinearity = kLeakyReLU,
                       std::optional<Generator> generator = std::nullopt);
/// N(mean, std^2) within [a, b].
Tensor trunc_normal_(Tensor t, double mean = 0, double std = 1, double a = -2, double b = 2,
                     std::optional<Generator> generator = std::nullopt);
/// Orthonormal rows or columns (of the tensor as [size(0), rest]) times gain.
Tensor orthogonal_(Tensor t, double gain = 1, std::optional<Generator> generator = std::nullopt);
/// The identity; `t` has two dimensions.
Tensor eye_(Tensor t);
/// Passes channels through a convolution: ones in the middle of the kernels, in each of `groups` groups.
Tensor dirac_(Tensor t, std::int64_t groups = 1);
/// N(0, std^2) with a fraction `sparsity` of each column zero.
Tensor sparse_(Tensor t, double sparsity, double std = 0.01, std::optional<Generator> generator = std::nullopt);

} // namespace reel::nn::init
