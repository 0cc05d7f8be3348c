// In-place forms of views: the tensor itself takes on another geometry.
#pragma once

#include <reel/autograd/tensor.hpp>

namespace reel {

/// Gives `self` the geometry of `view(self)`; its history becomes the view's. `name` is the in-place op's, for errors.
template <class F> Tensor& geometry_in_place(const char* name, const Tensor& self, const F& view);

namespace detail {
/// A tensor on the same storage that stands where `self` stood on the tape. Checks that `self` may be changed.
Tensor begin_geometry_change(const char* name, const Tensor& self);
Tensor& finish_geometry_change(const char* name, const Tensor& self, const Tensor& result);
} // namespace detail

template <class F> Tensor& geometry_in_place(const char* name, const Tensor& self, const F& view) {
    return detail::finish_geometry_change(name, self, view(detail::begin_geometry_change(name, self)));
}

} // namespace reel
