// What several distributions need: checks of parameters, common shapes, numbers of a dtype.
#pragma once

#include <limits>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/distributions/distribution.hpp>

namespace reel::distributions::detail {

/// No probability of any dtype survives exp of it, and no gradient times it overflows.
inline constexpr double least_log = -1e4;

/// ValueError that counts the elements of `t` where `ok` (its shape or broadcast to it) does not hold.
void check_parameter(const char* distribution, const char* name, const Tensor& t, const Tensor& ok,
                     const char* expected);
/// Floating, else TypeError.
void check_floating(const char* distribution, const char* name, const Tensor& t);

std::vector<std::int64_t> broadcast_sizes(const char* what, IntArrayRef a, IntArrayRef b);
/// Both at their common shape; themselves where they have it.
void broadcast_pair(const char* what, Tensor& a, Tensor& b);
/// Sum over the last `n` dimensions.
Tensor sum_rightmost(const Tensor& t, std::int64_t n);
Tensor all_rightmost(const Tensor& t, std::int64_t n);

double least_normal(ScalarType t);
double epsilon(ScalarType t);
/// The decimal resolution: 10^-6 for float32, 10^-15 for float64.
double resolution(ScalarType t);

inline std::optional<Generator> optional(const Generator& g) {
    return g.defined() ? std::optional<Generator>(g) : std::nullopt;
}
/// Memory for draws, of the dtype and device of `like`; nobody has written it.
Tensor draw_memory(IntArrayRef sizes, const Tensor& like);
inline TensorOptions like(const Tensor& t) { return TensorOptions(t.scalar_type()).device(t.device()); }
inline Tensor expanded(const Tensor& t, IntArrayRef sizes) { return t.sizes().equals(sizes) ? t : t.expand(sizes); }

} // namespace reel::distributions::detail
