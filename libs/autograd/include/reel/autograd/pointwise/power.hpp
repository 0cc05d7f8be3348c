// Powers.
#pragma once

#include <reel/autograd/pointwise/rule.hpp>

namespace reel::pointwise {

/// d(x^o) = o x^(o-1) dx + x^o log(x) do; the derivatives treat zero bases and exponents and stand with the op.
struct pow_op : binary<Result::Same, floating | complex, a | b, a | b> {
    template <class T> REEL_HD T f(T x, T o) const {
        if constexpr (math::is_complex<T>::value) return o == T(0) ? T(1) : std::pow(x, o);
        else return pow(x, o);
    }
    Tensor da(const Tensor& g, const Tensor& x, const Tensor& o, const Tensor&) const;
    Tensor db(const Tensor& g, const Tensor& x, const Tensor& o, const Tensor&) const;
};

using power_binary = op_list<pow_op>;

} // namespace reel::pointwise
