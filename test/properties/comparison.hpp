// Results of two calls of one op, side by side.
#pragma once

#include <functional>
#include <string>

#include "sample.hpp"

namespace properties {

/// What a call gave: tensors, or an error.
struct Outcome {
    variable_list tensors;
    std::string error;        ///< its message; empty where the call went through
    bool unsupported = false; ///< the error is a NotImplementedError
    bool refused() const { return !error.empty(); }
};
/// Calls `f`. What is no error of Reel's leaves it.
Outcome outcome_of(const std::function<variable_list()>& f);

/// Same shape, dtype and bits; any NaN is like any other.
bool same_bits(const Tensor& a, const Tensor& b);
/// Where the two differ, in words; empty where they do not. Elements differ that are further apart than `bound` times
/// the largest magnitude around them; 0 asks for the same bits.
std::string difference_between(const Tensor& a, const Tensor& b, double bound = 0);
std::string difference_between(const variable_list& a, const variable_list& b, double bound = 0);

/// The gradients of `sample` at `operands` by those that require grad, for fixed cotangents; an empty list where no
/// output requires grad.
variable_list gradients_of(const Sample& sample, const variable_list& operands);

} // namespace properties
