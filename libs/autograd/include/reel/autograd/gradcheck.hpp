// Gradients against finite differences: for anyone who writes an op or a Function.
#pragma once

#include <utility>

#include <reel/autograd/detail/differentiable_function.hpp>

namespace reel::autograd {

/// A check found a gradient that does not agree.
class GradcheckError : public Error {
public:
    using Error::Error;
};

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
