// Whole derivatives of functions of tensors: vjp, jvp, jacobian, hessian and their products with vectors.
#pragma once

#include <utility>

#include <reel/autograd/detail/whole_derivatives.hpp>

/// Functional transforms in the form of torch.autograd.functional. A function takes a `variable_list` and returns
/// tensors (or one tensor); `create_graph` keeps the results on the tape, `strict` refuses outputs that do not depend
/// on an input instead of answering zeros. Inputs are left alone: they need not require grad, no `.grad` is written.
namespace reel::autograd::functional {

/// {outputs, v^T J}: one result per input, of its shape. `v`: one tensor per output, of its shape; may be left out when
/// there is one output of one element.
template <class F>
std::pair<variable_list, variable_list> vjp(F fn, const variable_list& inputs, const variable_list& v = {},
                                            bool create_graph = false, bool strict = false) {
    return detail::vjp(detail::as_function(std::move(fn)), inputs, v, create_graph, strict);
}
/// {outputs, J v}: one result per output, of its shape. `v`: one tensor per input, of its shape; may be left out when
/// there is one input of one element. Computed by two backward passes.
template <class F>
std::pair<variable_list, variable_list> jvp(F fn, const variable_list& inputs, const variable_list& v = {},
                                            bool create_graph = false, bool strict = false) {
    return detail::jvp(detail::as_function(std::move(fn)), inputs, v, create_graph, strict);
}
/// result[o][i] has the output's shape followed by the input's.
template <class F>
nested_list jacobian(F fn, const variable_list& inputs, bool create_graph = false, bool strict = false) {
    return detail::jacobian(detail::as_function(std::move(fn)), inputs, create_graph, strict);
}
/// The Jacobian of a function of one tensor.
template <detail::UnaryFunction F>
Tensor jacobian(F fn, const Tensor& input, bool create_graph = false, bool strict = false) {
    return detail::jacobian(detail::as_function(std::move(fn)), {input}, create_graph, strict)[0][0];
}
/// Second derivatives of a function with one output of one element: result[i][j] has the shape of input i followed by
/// that of input j.
template <class F>
nested_list hessian(F fn, const variable_list& inputs, bool create_graph = false, bool strict = false) {
    return detail::hessian(detail::as_function(std::move(fn)), inputs, create_graph, strict);
}
/// The Hessian of a function of one tensor.
template <detail::UnaryFunction F>
Tensor hessian(F fn, const Tensor& input, bool create_graph = false, bool strict = false) {
    return detail::hessian(detail::as_function(std::move(fn)), {input}, create_graph, strict)[0][0];
}
/// {output, H v} without building H; `v`: one tensor per input.
template <class F>
std::pair<Tensor, variable_list> hvp(F fn, const variable_list& inputs, const variable_list& v = {},
                                     bool create_graph = false, bool strict = false) {
    return detail::hvp(detail::as_function(std::move(fn)), inputs, v, create_graph, strict);
}
/// {output, v^T H}: one backward pass cheaper than `hvp`, and equal to it where second derivatives are continuous.
template <class F>
std::pair<Tensor, variable_list> vhp(F fn, const variable_list& inputs, const variable_list& v = {},
                                     bool create_graph = false, bool strict = false) {
    return detail::vhp(detail::as_function(std::move(fn)), inputs, v, create_graph, strict);
}

} // namespace reel::autograd::functional
