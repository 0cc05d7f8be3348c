// The part of a parameter that a sparse gradient names.
#pragma once

#include <reel/autograd/indexing.hpp>
#include <reel/autograd/sparse.hpp>
#include <reel/autograd/tensor_operators.hpp>

namespace reel::optim {

struct SparseRows {
    explicit SparseRows(const Tensor& gradient)
        : whole(gradient.coalesce()), indices(whole.indices()), values(whole.values()) {
        for (std::int64_t d = 0; d < indices.size(0); ++d) places.emplace_back(indices.select(0, d));
    }
    /// That part of a strided tensor of the parameter's shape.
    Tensor of(const Tensor& t) const { return t.index(places); }
    /// A sparse tensor with other values in its places.
    Tensor with(const Tensor& v) const { return sparse_coo_tensor(indices, v, whole.sizes(), {}, true); }

    Tensor whole, indices, values;
    std::vector<indexing::TensorIndex> places;
};

} // namespace reel::optim
