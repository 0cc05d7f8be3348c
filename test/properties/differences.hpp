// Derivatives by differences, and what cannot be decided by them.
#pragma once

#include <functional>
#include <optional>

#include <reel/autograd/tensor.hpp>

namespace properties {

using namespace reel;

/// A derivative of a real function at one point, by differences.
struct Difference {
    double value = 0, uncertainty = 0;
    bool agrees_with(double derivative) const;
};

/// f'(0) by central differences of two step lengths; nothing where the function has no derivative that they could see:
/// where the one-sided differences differ however small the step, where values are not finite, where steps disagree.
std::optional<Difference> difference(const std::function<double(double)>& f, double scale);

/// The real numbers of a tensor: one for each element, two where they are complex. Shares memory with `t`, which is
/// dense and on the host.
double* reals(const Tensor& t, std::int64_t& count);
/// A few of `count` places, spread over all; sixteen times as many in the long form.
std::vector<std::int64_t> some_places(std::int64_t count, std::int64_t few);
/// The sum over all elements of Re(conj(a) b).
double real_inner(const Tensor& a, const Tensor& b);
bool all_finite(const Tensor& t);

} // namespace properties
