// What a gradient scaler is made of: the scale leaves the gradients, and follows what was found in them.
#pragma once

#include <cstdint>

#include <reel/autograd/tensor.hpp>

namespace reel::amp {

/// Multiplies the gradients by `inv_scale`, in place, and sets `found_inf` to 1 where one of their elements was
/// infinite or no number; it stays as it is otherwise. Nothing waits for a device. Of sparse gradients the values are
/// meant; undefined ones are passed over. `found_inf` and `inv_scale` are one element of float32 each, ValueError else;
/// the gradients may live on several devices and have any floating or complex dtype. PyTorch's
/// `_amp_foreach_non_finite_check_and_unscale_`.
void foreach_non_finite_check_and_unscale_(TensorList gradients, const Tensor& found_inf, const Tensor& inv_scale);

/// The scale for the next round, in place: times `backoff_factor` where `found_inf` is not 0; times `growth_factor`
/// where it was 0 `growth_interval` times in a row, which `growth_tracker` (one element of int32) counts, unless the
/// scale would be infinite. Nothing waits for a device. PyTorch's `_amp_update_scale_`.
void update_scale_(const Tensor& scale, const Tensor& growth_tracker, const Tensor& found_inf, double growth_factor,
                   double backoff_factor, std::int64_t growth_interval);

} // namespace reel::amp
