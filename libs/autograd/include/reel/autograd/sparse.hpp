// Sparse tensors in coordinate form (COO), as gradients of tables of which few rows were used.
#pragma once

#include <optional>

#include <reel/autograd/tensor.hpp>
#include <reel/autograd/tensor_options.hpp>

namespace reel {

/// The tensor of shape `size` that holds `values[k]` at `indices[:, k]` and zeros elsewhere; what stands at equal
/// indices adds up. `indices` is `[sparse_dim, nnz]` of integers, `values` is `[nnz, ...]` with the dense dimensions
/// behind the first. dtype, device and requires_grad are those of `options`, else of `values`. Gradient: to `values`,
/// at the indices. `is_coalesced`: the caller knows that the indices are sorted and that none occurs twice.
/// Sparse tensors are what gradients of embeddings are: they can be added to each other and into strided tensors,
/// multiplied and divided by numbers and by strided matrices (`mm`), summed up, copied, printed; hooks, SGD, Adagrad
/// and SparseAdam take them. Every other op throws NotImplementedError, which names it; `to_dense()` makes what it
/// takes. Errors: Error for shapes that do not fit each other, IndexError for an index outside of `size`.
Tensor sparse_coo_tensor(const Tensor& indices, const Tensor& values, IntArrayRef size,
                         const TensorOptions& options = {}, std::optional<bool> is_coalesced = std::nullopt);
/// Each sparse dimension is as long as its greatest index asks for.
Tensor sparse_coo_tensor(const Tensor& indices, const Tensor& values, const TensorOptions& options = {},
                         std::optional<bool> is_coalesced = std::nullopt);
/// Without any values: zeros, all dimensions sparse.
Tensor sparse_coo_tensor(IntArrayRef size, const TensorOptions& options = {});

} // namespace reel
