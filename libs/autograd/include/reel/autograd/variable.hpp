// Tensors made for the tape by hand, as libtorch's own parts and their tests make them.
#pragma once

#include <reel/autograd/tensor.hpp>

namespace reel::autograd {
using reel::CreationMeta;

/// A leaf on the memory of `data`, without its history. Errors: as of `requires_grad_`.
Variable make_variable(const Tensor& data, bool requires_grad = false);

/// Passes tensors through, as views of what came; whatever gradients arrive there, what made the tensors gets undefined
/// ones: `UndefinedGrad().apply({y})[0].backward()`.
class UndefinedGrad {
public:
    variable_list apply(const variable_list& inputs) const;
    variable_list operator()(const variable_list& inputs) const { return apply(inputs); }
};

} // namespace reel::autograd
