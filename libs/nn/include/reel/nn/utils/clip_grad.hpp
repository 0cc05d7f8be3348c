// Limits on gradients.
#pragma once

#include <vector>

#include <reel/autograd/tensor.hpp>

namespace reel::nn::utils {

/// The norm of all elements of `tensors` together: `norm_type` 2, 1, any positive number, infinity (largest absolute
/// value) or 0 (count of non-zeros). 0 for an empty list. Undefined tensors are skipped. Not recorded.
/// Errors: Error for a norm that is NaN or infinite when `error_if_nonfinite`.
double get_total_norm(const std::vector<Tensor>& tensors, double norm_type = 2.0, bool error_if_nonfinite = false);
/// Multiplies the gradients of `parameters` by max_norm / (total_norm + 1e-6) where that is below one.
void clip_grads_with_norm_(const std::vector<Tensor>& parameters, double max_norm, double total_norm);

/// Scales the gradients of `parameters` together so that their norm is at most `max_norm`; returns the norm before.
double clip_grad_norm_(const std::vector<Tensor>& parameters, double max_norm, double norm_type = 2.0,
                       bool error_if_nonfinite = false);
inline double clip_grad_norm_(std::initializer_list<Tensor> parameters, double max_norm, double norm_type = 2.0,
                              bool error_if_nonfinite = false) {
    return clip_grad_norm_(std::vector<Tensor>(parameters), max_norm, norm_type, error_if_nonfinite);
}
inline double clip_grad_norm_(const Tensor& parameter, double max_norm, double norm_type = 2.0,
                              bool error_if_nonfinite = false) {
    return clip_grad_norm_(std::vector<Tensor>{parameter}, max_norm, norm_type, error_if_nonfinite);
}

/// Limits every element of every gradient to [-clip_value, clip_value].
void clip_grad_value_(const std::vector<Tensor>& parameters, double clip_value);
inline void clip_grad_value_(const Tensor& parameter, double clip_value) {
    clip_grad_value_(std::vector<Tensor>{parameter}, clip_value);
}

} // namespace reel::nn::utils
