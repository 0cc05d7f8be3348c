// LDL factors as tensor ops, for given pivots: what the gradients of linalg.ldl_factor and linalg.ldl_solve go through.
#include <reel/autograd/ops/factory/factories.hpp>
#include <reel/autograd/ops/index/gather.hpp>
#include <reel/autograd/ops/linalg/matmul.hpp>
#include <reel/autograd/ops/pointwise/arithmetic.hpp>
#include <reel/autograd/ops/pointwise/complex.hpp>
#include <reel/autograd/ops/shape/diagonals.hpp>
#include <reel/autograd/ops/shape/join.hpp>
#include <reel/autograd/ops/shape/permute.hpp>
#include <reel/autograd/ops/shape/slice.hpp>
#include <reel/autograd/ops/shape/triangular.hpp>
#include <reel/autograd/ops/shape/view.hpp>

#include "ops/linalg/linalg.hpp"
#include "tensor/host_values.hpp"

namespace reel {

using namespace matrices;

namespace {

/// One block of D (1 x 1 or 2 x 2), as LAPACK's pivots tell: its last row changed places with row `other`.
struct Block {
    std::int64_t first, size, other;
};
std::vector<Block> blocks_of(const Tensor& pivots) {
    std::vector<Block> blocks;
    const HostValues<std::int32_t> p(pivots, "linalg.ldl_solve");
    for (std::int64_t k = 0; k < p.size(); k += blocks.back().size)
        blocks.push_back({k, p[k] > 0 ? 1 : 2, std::abs(p[k]) - 1});
    return blocks;
}
/// The order of the rows from `b.first` on after the exchange; its own inverse.
Tensor exchange(const Block& b, std::int64_t n, Device device) {
    const std::int64_t one = b.size - 1, other = b.other - b.first;
    const auto moved = [=](std::int64_t i) { return i == one ? other : i == other ? one : i; };
    return generated<std::int64_t>(n - b.first, moved).to(device);
}
Tensor flipped(const Tensor& t, bool hermitian) { return hermitian ? adjoint_of(t) : transpose(t, -2, -1); }
/// The whole matrix whose lower triangle is stored.
Tensor mirrored(const Tensor& a, bool hermitian) {
    const Tensor below = tril(a, -1), own = diagonal(a);
    return below + flipped(below, hermitian) +
           diag_embed(hermitian && a.is_complex() ? real(own).to(a.scalar_type()) : own);
}
/// Inverse of a 1 x 1 or 2 x 2 block.
Tensor inverse_of(const Tensor& d) {
    if (d.size(0) == 1) return reciprocal(d);
    const auto at = [&](std::int64_t i, std::int64_t j) { return narrow(narrow(d, 0, i, 1), 1, j, 1); };
    const Tensor adjugate = cat({cat({at(1, 1), -at(0, 1)}, 1), cat({-at(1, 0), at(0, 0)}, 1)}, 0);
    return adjugate / (at(0, 0) * at(1, 1) - at(0, 1) * at(1, 0));
}
Tensor factor_one(const Tensor& a, const std::vector<Block>& blocks, bool hermitian) {
    const std::int64_t n = a.size(0);
    Tensor rest = mirrored(a, hermitian);
    std::vector<Tensor> columns;
    for (const Block& b : blocks) {
        const Tensor order = exchange(b, n, a.device());
        rest = index_select(index_select(rest, 0, order), 1, order);
        const Tensor d = narrow(narrow(rest, 0, 0, b.size), 1, 0, b.size);
        const Tensor left = narrow(slice(rest, 0, b.size), 1, 0, b.size), l = matmul(left, inverse_of(d));
        const Tensor above = zeros({b.first, b.size}, a.options().requires_grad(false));
        columns.push_back(cat({above, tril(d), l}, 0));
        rest = slice(slice(rest, 0, b.size), 1, b.size) - matmul(l, flipped(left, hermitian));
    }
    return columns.empty() ? a : cat(columns, 1);
}
Tensor solve_one(const Tensor& ld, const Tensor& rhs, const std::vector<Block>& blocks, bool hermitian) {
    const std::int64_t n = ld.size(0);
    const auto below = [&](const Block& b) { return narrow(slice(ld, 0, b.first + b.size), 1, b.first, b.size); };
    std::vector<Tensor> tops;
    Tensor rest = rhs;
    for (const Block& b : blocks) { // L y = b, and y / D
        rest = index_select(rest, 0, exchange(b, n, ld.device()));
        const Tensor top = narrow(rest, 0, 0, b.size);
        const Tensor d = mirrored(narrow(narrow(ld, 0, b.first, b.size), 1, b.first, b.size), hermitian);
        rest = slice(rest, 0, b.size) - matmul(below(b), top);
        tops.push_back(matmul(inverse_of(d), top));
    }
    for (std::size_t i = blocks.size(); i-- > 0;) {
        const Tensor top = tops[i] - matmul(flipped(below(blocks[i]), hermitian), rest);
        rest = index_select(cat({top, rest}, 0), 0, exchange(blocks[i], n, ld.device()));
    }
    return rest;
}
/// `one(i)` for each matrix of a batch, put together again.
template <class F> Tensor for_each_matrix(const Tensor& like, F one) {
    Dims batch = batch_sizes(like);
    std::int64_t count = 1;
    for (const std::int64_t s : batch) count *= s;
    if (count == 0) return like;
    std::vector<Tensor> results;
    for (std::int64_t i = 0; i < count; ++i) results.push_back(one(i));
    return reshape(stack(results, 0), like.sizes());
}
Tensor one_of(const Tensor& t, std::int64_t i, std::int64_t dims) {
    Dims sizes{1};
    for (std::int64_t d = 0; d < t.dim(); ++d)
        if (d < t.dim() - dims) sizes[0] *= t.size(d);
        else sizes.push_back(t.size(d));
    return select(reshape(t, sizes), 0, i);
}

} // namespace

Tensor matrices::ldl_factor_again(const Tensor& a, const Tensor& pivots, bool hermitian) {
    return for_each_matrix(a, [&](std::int64_t i) {
        return factor_one(one_of(a, i, 2), blocks_of(contiguous_raw(one_of(pivots, i, 1))), hermitian);
    });
}
Tensor matrices::ldl_solve_again(const Tensor& ld, const Tensor& pivots, const Tensor& b, bool hermitian) {
    return for_each_matrix(b, [&](std::int64_t i) {
        return solve_one(one_of(ld, i, 2), one_of(b, i, 2), blocks_of(contiguous_raw(one_of(pivots, i, 1))), hermitian);
    });
}

} // namespace reel
