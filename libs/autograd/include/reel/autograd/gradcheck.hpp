// Gradients against finite differences: for anyone who writes an op or a Function.
#pragma once

#include <functional>
#include <type_traits>

#include <reel/autograd/tensor.hpp>

namespace reel::autograd {

using variable_list = std::vector<Tensor>;

/// A check found a gradient that does not agree.
class GradcheckError : public Error {
public:
    using Error::Error;
};

/// The functions that can be checked: tensors in, tensors out.
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

/// Compares the gradients of `fn` with central differences, entry by entry of the Jacobian.
/// `fn` takes a `variable_list` (or one tensor) and returns tensors (or one); it is called twice per input element.
/// Inputs that require grad must be float64 or complex128 (ValueError otherwise); complex entries are checked as pairs
/// of real ones, with PyTorch's convention for their gradients. Entries agree when |a - n| <= atol + rtol * |n|. Also
/// checked: a second pass gives the same bits, gradients have the shape and dtype of their input, undefined incoming
/// gradients are accepted. Throws GradcheckError that names the entry, or returns false when `raise_exception` is
/// false.
template <class F>
bool gradcheck(F fn, const variable_list& inputs, double eps = 1e-6, double atol = 1e-5, double rtol = 1e-3,
               bool raise_exception = true) {
    return detail::gradcheck(detail::as_function(std::move(fn)), inputs, eps, atol, rtol, raise_exception);
}

/// The same for second derivatives: `gradcheck` of the function from inputs and output gradients to input gradients.
/// `grad_outputs`: one per differentiable output; drawn from a generator of its own when empty.
template <class F>
bool gradgradcheck(F fn, const variable_list& inputs, const variable_list& grad_outputs = {}, double eps = 1e-6,
                   double atol = 1e-5, double rtol = 1e-3, bool raise_exception = true) {
    return detail::gradgradcheck(detail::as_function(std::move(fn)), inputs, grad_outputs, eps, atol, rtol,
                                 raise_exception);
}

} // namespace reel::autograd
