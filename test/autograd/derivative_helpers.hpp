// Every order and direction of differentiation at one point, for functions whose formulas are undefined there.
#pragma once

#include <cmath>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/forward_ad.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "shape_helpers.hpp"

namespace derivative_test {

using namespace shape_test;
using autograd::variable_list;

inline Tensor point(std::vector<double> values) {
    Tensor t = empty({std::int64_t(values.size())}, kDouble);
    std::copy(values.begin(), values.end(), t.data_ptr<double>());
    return t.requires_grad_();
}
/// Complex numbers from pairs.
inline Tensor complex_point(std::vector<double> values) {
    const Tensor pairs = point(values).detach().reshape({-1, 2});
    return view_as_complex(pairs).clone().requires_grad_();
}
/// All numbers in a row, complex ones as pairs.
inline V flat(const variable_list& tensors) {
    V r;
    for (const Tensor& t : tensors) {
        const V part = list(t.is_complex() ? view_as_real(t.detach()) : t);
        r.insert(r.end(), part.begin(), part.end());
    }
    return r;
}
/// The sum of all parts of all numbers, real.
inline Tensor total(const variable_list& tensors) {
    Tensor s = zeros({}, kDouble);
    for (const Tensor& t : tensors) s = s + (t.is_complex() ? real(t).sum() + imag(t).sum() : t.sum());
    return s;
}
inline variable_list defined(variable_list grads, const variable_list& like) {
    for (std::size_t i = 0; i < grads.size(); ++i)
        if (!grads[i].defined()) grads[i] = zeros_like(like[i]).detach();
    return grads;
}

/// Derivatives of the sum of what `fn` returns; second ones of the sum of the first. Tangents are ones.
struct Orders {
    V reverse, forward, double_backward, forward_over_reverse;
};
template <class F> Orders orders(F fn, const variable_list& at) {
    Orders r;
    const variable_list g = defined(autograd::grad({total({fn(at)})}, at, {}, true, true, true), at);
    r.reverse = flat(g);
    const Tensor sum = total(g);
    r.double_backward = flat(
        defined(sum.requires_grad() ? autograd::grad({sum}, at, {}, true, false, true) : variable_list(at.size()), at));
    const autograd::forward_ad::DualLevel level;
    variable_list dual;
    for (const Tensor& t : at) dual.push_back(autograd::forward_ad::make_dual(t, ones_like(t).detach()));
    const Tensor y = fn(dual);
    r.forward = flat(defined({autograd::forward_ad::unpack_dual(y).tangent}, {y}));
    const variable_list gd = defined(autograd::grad({total({y})}, dual, {}, true, true, true), at);
    variable_list tangents;
    for (const Tensor& t : gd) tangents.push_back(autograd::forward_ad::unpack_dual(t).tangent);
    r.forward_over_reverse = flat(defined(tangents, at));
    return r;
}

inline bool near(const V& a, const V& b) {
    bool same = a.size() == b.size();
    for (std::size_t i = 0; same && i < a.size(); ++i)
        same = a[i] == b[i] || std::abs(a[i] - b[i]) <= 1e-9 * std::max(1.0, std::abs(b[i]));
    if (!same)
        for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i)
            BOOST_TEST_MESSAGE("entry " << i << ": " << (i < a.size() ? a[i] : NAN) << ", expected "
                                        << (i < b.size() ? b[i] : NAN));
    return same;
}

} // namespace derivative_test

#define REEL_TEST_NEAR(actual, ...) BOOST_TEST(derivative_test::near(actual, derivative_test::V{__VA_ARGS__}))
/// Reverse and forward first, then both second orders, which must agree.
#define REEL_TEST_ORDERS(orders_, first, tangent, second)                                                              \
    do {                                                                                                               \
        const derivative_test::Orders o_ = orders_;                                                                    \
        BOOST_TEST(derivative_test::near(o_.reverse, derivative_test::V first));                                       \
        BOOST_TEST(derivative_test::near(o_.forward, derivative_test::V tangent));                                     \
        BOOST_TEST(derivative_test::near(o_.double_backward, derivative_test::V second));                              \
        BOOST_TEST(derivative_test::near(o_.forward_over_reverse, derivative_test::V second));                         \
    } while (false)
