// Whole derivatives of functions in their one form.
#pragma once

#include <reel/autograd/detail/differentiable_function.hpp>

namespace reel::autograd::functional {

/// derivative[output][input], or for `hessian` [input][input].
using nested_list = std::vector<variable_list>;

namespace detail {
using In = const variable_list&;
using Fn = const DifferentiableFunction&;
using Pair = std::pair<variable_list, variable_list>;
Pair vjp(Fn fn, In inputs, In v, bool create_graph, bool strict);
Pair jvp(Fn fn, In inputs, In v, bool create_graph, bool strict);
nested_list jacobian(Fn fn, In inputs, bool create_graph, bool strict);
nested_list hessian(Fn fn, In inputs, bool create_graph, bool strict);
std::pair<Tensor, variable_list> hvp(Fn fn, In inputs, In v, bool create_graph, bool strict);
std::pair<Tensor, variable_list> vhp(Fn fn, In inputs, In v, bool create_graph, bool strict);
using autograd::detail::as_function;
/// One tensor in, one tensor out.
template <class F>
concept UnaryFunction = std::is_invocable_r_v<Tensor, F&, const Tensor&>;
} // namespace detail

} // namespace reel::autograd::functional
