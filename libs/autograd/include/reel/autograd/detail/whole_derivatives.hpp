// Whole derivatives of functions in their one form.
#pragma once

#include <type_traits>
#include <utility>
#include <vector>

#include <reel/autograd/detail/differentiable_function.hpp>

namespace reel::autograd::functional {

/// derivative[output][input], or for `hessian` [input][input].
using nested_list = std::vector<variable_list>;

namespace detail {
std::pair<variable_list, variable_list> vjp(const DifferentiableFunction& fn, const variable_list& inputs,
                                            const variable_list& v, bool create_graph, bool strict);
std::pair<variable_list, variable_list> jvp(const DifferentiableFunction& fn, const variable_list& inputs,
                                            const variable_list& v, bool create_graph, bool strict);
nested_list jacobian(const DifferentiableFunction& fn, const variable_list& inputs, bool create_graph, bool strict);
nested_list hessian(const DifferentiableFunction& fn, const variable_list& inputs, bool create_graph, bool strict);
std::pair<Tensor, variable_list> hvp(const DifferentiableFunction& fn, const variable_list& inputs,
                                     const variable_list& v, bool create_graph, bool strict);
std::pair<Tensor, variable_list> vhp(const DifferentiableFunction& fn, const variable_list& inputs,
                                     const variable_list& v, bool create_graph, bool strict);
using autograd::detail::as_function;
/// One tensor in, one tensor out.
template <class F>
concept UnaryFunction = std::is_invocable_r_v<Tensor, F&, const Tensor&>;
} // namespace detail

} // namespace reel::autograd::functional
