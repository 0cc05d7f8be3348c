// Tensors here and there, and how far results are apart.
#pragma once

#include <boost/test/unit_test.hpp>

#include <reel/autograd.hpp>

#include "cuda/needs_device.hpp"

namespace there {

inline const reel::Device gpu{reel::kCUDA, 0};
inline reel::Tensor put(const reel::Tensor& t) { return t.to(gpu); }

/// The largest difference between what lies on the device and what is expected, relative to the latter's largest;
/// shapes and dtypes must be the same, and NaN stand in the same places.
inline double distance(const reel::Tensor& got, const reel::Tensor& want) {
    BOOST_REQUIRE(got.is_cuda());
    const reel::Tensor here = got.detach().to(reel::Device(reel::kCPU)), w = want.detach();
    BOOST_REQUIRE_MESSAGE(here.sizes().equals(w.sizes()), here.sizes() << " for " << w.sizes());
    BOOST_REQUIRE(here.scalar_type() == w.scalar_type());
    if (w.numel() == 0) return 0;
    const bool complex = w.is_complex();
    const reel::Tensor a = reel::nan_to_num(complex ? here : here.to(reel::kDouble), 12345),
                       b = reel::nan_to_num(complex ? w : w.to(reel::kDouble), 12345);
    return (a - b).abs().max().item().toDouble() / (1 + b.abs().max().item().toDouble());
}

} // namespace there
