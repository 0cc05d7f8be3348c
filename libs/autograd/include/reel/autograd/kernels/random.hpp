// Kernels that draw random numbers.
#pragma once

#include <optional>

#include <reel/autograd/kernel.hpp>
#include <reel/autograd/random.hpp>

namespace reel {

/// Where numbers come from: a generator, or none for the device's default one.
using OptionalGenerator = std::optional<Generator>;

// All fill `out`, of any strides; the CPU draws one after the other in the order in which the elements lie, as
// PyTorch's streams do, and keeps the generator locked meanwhile. Floating dtypes where nothing else is said.
namespace cpu {
void uniform(const char* op, const Tensor& out, double from, double to, const OptionalGenerator& generator);
void normal(const char* op, const Tensor& out, double mean, double std, const OptionalGenerator& generator);
void log_normal(const char* op, const Tensor& out, double mean, double std, const OptionalGenerator& generator);
void exponential(const char* op, const Tensor& out, double rate, const OptionalGenerator& generator);
void cauchy(const char* op, const Tensor& out, double median, double sigma, const OptionalGenerator& generator);
void geometric(const char* op, const Tensor& out, double p, const OptionalGenerator& generator);
void bernoulli(const char* op, const Tensor& out, double p, const OptionalGenerator& generator);
void random_integers(const char* op, const Tensor& out, std::uint64_t from, std::uint64_t range, bool wide,
                     const OptionalGenerator& generator);
void bernoulli_of(const Tensor& out, const Tensor& p, const OptionalGenerator& generator);
void poisson(const Tensor& out, const Tensor& rates, const OptionalGenerator& generator);
void binomial(const Tensor& out, const Tensor& count, const Tensor& prob, const OptionalGenerator& generator);
void multinomial(const Tensor& out, const Tensor& weights, bool replacement, const OptionalGenerator& generator);
void randperm(const Tensor& out, const OptionalGenerator& generator);
void dropout_mask(const Tensor& out, double p);
void rrelu_slope(const Tensor& out, const Tensor& drawn, double lower, double upper,
                 const OptionalGenerator& generator);
} // namespace cpu

namespace kernels {
/// Numbers from [from, to).
inline constinit Kernel<decltype(cpu::uniform), Draws<1>> uniform{"uniform_", &cpu::uniform};
inline constinit Kernel<decltype(cpu::normal), Draws<1>> normal{"normal_", &cpu::normal};
/// exp of normal draws.
inline constinit Kernel<decltype(cpu::log_normal), Draws<1>> log_normal{"log_normal_", &cpu::log_normal};
inline constinit Kernel<decltype(cpu::exponential), Draws<1>> exponential{"exponential_", &cpu::exponential};
inline constinit Kernel<decltype(cpu::cauchy), Draws<1>> cauchy{"cauchy_", &cpu::cauchy};
/// How many trials it takes until one succeeds, any real dtype.
inline constinit Kernel<decltype(cpu::geometric), Draws<1>> geometric{"geometric_", &cpu::geometric};
/// Ones with probability p, else zeros, any dtype.
inline constinit Kernel<decltype(cpu::bernoulli), Draws<1>> bernoulli{"bernoulli_", &cpu::bernoulli};
/// from + k, modulo 2^64, for k below `range`, 0 meaning 2^64; drawn from 64 bits if `wide`, else from 32. Any real
/// dtype.
inline constinit Kernel<decltype(cpu::random_integers), Draws<1>> random_integers{"random_", &cpu::random_integers};
/// Ones with the probabilities `p` of the same sizes and dtype. Throws Error for what is no probability.
inline constinit Kernel<decltype(cpu::bernoulli_of), Draws<0>> bernoulli_of{"bernoulli", &cpu::bernoulli_of};
/// Counts with the given rates, of the same sizes and dtype. Throws Error for a negative rate.
inline constinit Kernel<decltype(cpu::poisson), Draws<0>> poisson{"poisson", &cpu::poisson};
/// How many of `count` trials succeed with probability `prob`; both have the sizes and dtype of `out`. Throws Error for
/// negative counts, and for what is no probability.
inline constinit Kernel<decltype(cpu::binomial), Draws<0>> binomial{"binomial", &cpu::binomial};
/// Places in each row of the weights [rows, n], dense and floating, drawn by them: `out` [rows, samples] is int64 and
/// dense. Throws Error for weights that are negative, not finite, or all zero.
inline constinit Kernel<decltype(cpu::multinomial), Draws<0>> multinomial{"multinomial", &cpu::multinomial};
/// A permutation of 0 to n - 1, int64 and dense.
inline constinit Kernel<decltype(cpu::randperm), Draws<0>> randperm{"randperm", &cpu::randperm};
/// Ones with probability 1 - p, else zeros, by the default generator; `out` is dense, floating or complex.
inline constinit Kernel<decltype(cpu::dropout_mask), Draws<0>> dropout_mask{"dropout", &cpu::dropout_mask};
/// A number from [lower, upper) where `drawn` (bool) says so, else one; `out` is float64, both are dense.
inline constinit Kernel<decltype(cpu::rrelu_slope), Draws<0>> rrelu_slope{"rrelu", &cpu::rrelu_slope};
} // namespace kernels

} // namespace reel
