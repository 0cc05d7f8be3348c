// Where a tensor's elements lie in its storage, as a value: what rules remember of views whose strides matter.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include <reel/autograd/tensor.hpp>

namespace reel::shape {

/// Sizes, strides and offset in elements.
struct Geometry {
    Dims sizes, strides;
    std::int64_t offset;
    static Geometry of(const Tensor& t) { return {Dims(t.sizes()), Dims(t.strides()), t.storage_offset()}; }
    /// The same places counted in halves of an element: complex numbers as pairs of reals.
    Geometry halved() const {
        Geometry g{sizes, strides, offset * 2};
        for (std::int64_t& s : g.strides) s *= 2;
        g.sizes.push_back(2);
        g.strides.push_back(1);
        return g;
    }
    std::int64_t extent() const { ///< elements from the storage's start to behind the last one
        std::int64_t last = offset;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            if (sizes[i] == 0) return 0;
            last += (sizes[i] - 1) * strides[i];
        }
        return last + 1;
    }
    /// May two indices meet one element? (Conservative: sorted strides must each step over what lies below.)
    bool overlaps() const {
        std::vector<std::pair<std::int64_t, std::int64_t>> dims;
        for (std::size_t i = 0; i < sizes.size(); ++i)
            if (sizes[i] > 1) dims.emplace_back(strides[i], sizes[i]);
        std::sort(dims.begin(), dims.end());
        std::int64_t reach = 0;
        for (const auto& [stride, size] : dims) {
            if (stride <= reach) return true;
            reach += stride * (size - 1);
        }
        return false;
    }
};

/// What `part` shows of `t`, whose elements count as laid out like `whole`; zeros where it shows none of them.
/// Differentiable.
Tensor strided_part(const Tensor& t, Geometry whole, Geometry part);
/// A view of the same memory with another element type; sizes, strides and offset count its elements.
Tensor view_as_dtype(const Tensor& t, ScalarType dtype, IntArrayRef sizes, IntArrayRef strides, std::int64_t offset);
/// `t` with the elements that `part` shows replaced by zeros. Differentiable.
Tensor strided_rest(const Tensor& t, Geometry whole, Geometry part);

} // namespace reel::shape
