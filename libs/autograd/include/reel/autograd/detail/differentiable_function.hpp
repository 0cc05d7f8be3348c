// Functions of tensors in the one form in which they are checked and differentiated, and who does so.
#pragma once

#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include <reel/autograd/tensor.hpp>

namespace reel::autograd {

using variable_list = std::vector<Tensor>;

/// What can be checked and differentiated: tensors in, tensors out.
using DifferentiableFunction = std::function<variable_list(const variable_list&)>;

namespace detail {
/// Accepts also functions of one tensor, and functions that return one.
template <class F> DifferentiableFunction as_function(F fn) {
    if constexpr (std::is_invocable_v<F&, const variable_list&>) {
        using R = std::invoke_result_t<F&, const variable_list&>;
        if constexpr (std::is_convertible_v<R, variable_list>) return DifferentiableFunction(std::move(fn));
        else return [fn = std::move(fn)](const variable_list& x) mutable { return variable_list{fn(x)}; };
    } else {
        using R = std::invoke_result_t<F&, const Tensor&>;
        if constexpr (std::is_convertible_v<R, variable_list>)
            return [fn = std::move(fn)](const variable_list& x) mutable { return variable_list(fn(x.at(0))); };
        else return [fn = std::move(fn)](const variable_list& x) mutable { return variable_list{fn(x.at(0))}; };
    }
}
bool gradcheck(const DifferentiableFunction& fn, const variable_list& inputs, double eps, double atol, double rtol,
               bool raise_exception);
bool gradgradcheck(const DifferentiableFunction& fn, const variable_list& inputs, const variable_list& grad_outputs,
                   double eps, double atol, double rtol, bool raise_exception);
} // namespace detail

} // namespace reel::autograd
