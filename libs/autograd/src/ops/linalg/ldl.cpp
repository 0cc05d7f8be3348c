// LDL factors as tensor ops, for given pivots: what the gradients of linalg.ldl_factor and linalg.ldl_solve go through.

#include <map>
#include <vector>

#include <reel/autograd/ops/index/gather.hpp>
#include <reel/autograd/ops/linalg/matmul.hpp>
#include <reel/autograd/ops/pointwise/arithmetic.hpp>
#include <reel/autograd/ops/pointwise/complex_parts.hpp>
#include <reel/autograd/ops/shape/diagonals.hpp>
#include <reel/autograd/ops/shape/expand.hpp>
#include <reel/autograd/ops/shape/join.hpp>
#include <reel/autograd/ops/shape/permute.hpp>
#include <reel/autograd/ops/shape/reshape.hpp>
#include <reel/autograd/ops/shape/slice.hpp>
#include <reel/autograd/ops/shape/squeeze.hpp>
#include <reel/autograd/ops/shape/triangular.hpp>

#include "ops/linalg/linalg.hpp"
#include "tensor/host_values.hpp"
#include "tensor/raw.hpp"

namespace reel {

using namespace matrices;

namespace {

/// One block of D (1 x 1 or 2 x 2) in some matrices that have blocks of the same sizes, as LAPACK's pivots tell: in
/// each matrix its last row changed places with row `other`.
struct Block {
    std::int64_t first, size;
    std::vector<std::int64_t> other;
};
/// Matrices of a batch that go the same way.
struct Group {
    std::vector<std::int64_t> members;
    std::vector<Block> blocks;
};
std::vector<Group> groups_of(const Tensor& pivots) {
    const HostValues<std::int32_t> p(pivots, "linalg.ldl_solve");
    const std::int64_t n = pivots.size(-1);
    std::map<std::vector<std::int64_t>, Group> found; // by the sizes of their blocks
    for (std::int64_t i = 0; i < pivots.size(0); ++i) {
        const auto pivot = [&](std::int64_t k) { return p[i * n + k]; };
        std::vector<std::int64_t> sizes;
        for (std::int64_t k = 0; k < n; k += sizes.back()) sizes.push_back(pivot(k) > 0 ? 1 : 2);
        Group& group = found[sizes];
        if (group.members.empty())
            for (std::int64_t k = 0; const std::int64_t size : sizes) {
                group.blocks.push_back({k, size, {}});
                k += size;
            }
        group.members.push_back(i);
        for (Block& b : group.blocks) b.other.push_back(std::abs(pivot(b.first)) - 1);
    }
    std::vector<Group> groups;
    for (auto& [sizes, group] : found) groups.push_back(std::move(group));
    return groups;
}
/// The orders [matrices, m] of the m rows from `b.first` on after the exchange; their own inverses.
Tensor exchange(const Block& b, std::int64_t n, Device device) {
    const std::int64_t rows = n - b.first, one = b.size - 1;
    const auto moved = [&](std::int64_t i) {
        const std::int64_t other = b.other[std::size_t(i / rows)] - b.first, row = i % rows;
        return row == one ? other : row == other ? one : row;
    };
    const auto count = std::int64_t(b.other.size());
    return reshape(generated<std::int64_t>(count * rows, moved).to(device), {count, rows});
}
Tensor with_rows(const Tensor& t, const Tensor& order) {
    return gather(t, -2, expand(unsqueeze(order, -1), {t.size(0), order.size(1), t.size(2)}));
}
Tensor with_columns(const Tensor& t, const Tensor& order) {
    return gather(t, -1, expand(unsqueeze(order, -2), {t.size(0), t.size(1), order.size(1)}));
}
/// The `size` square at the corner of each matrix that starts at row and column `first`.
Tensor corner(const Tensor& t, std::int64_t first, std::int64_t size) {
    return narrow(narrow(t, -2, first, size), -1, first, size);
}
Tensor flipped(const Tensor& t, bool hermitian) { return hermitian ? adjoint_of(t) : transpose(t, -2, -1); }
/// The whole matrix whose lower triangle is stored.
Tensor mirrored(const Tensor& a, bool hermitian) {
    const Tensor below = tril(a, -1), own = diagonal(a, 0, -2, -1);
    return below + flipped(below, hermitian) +
           diag_embed(hermitian && a.is_complex() ? real(own).to(a.scalar_type()) : own);
}
/// Inverse of a 1 x 1 or 2 x 2 block.
Tensor inverse_of(const Tensor& d) {
    if (d.size(-1) == 1) return reciprocal(d);
    const auto at = [&](std::int64_t i, std::int64_t j) { return narrow(narrow(d, -2, i, 1), -1, j, 1); };
    const Tensor adjugate = cat({cat({at(1, 1), -at(0, 1)}, -1), cat({-at(1, 0), at(0, 0)}, -1)}, -2);
    return adjugate / (at(0, 0) * at(1, 1) - at(0, 1) * at(1, 0));
}
/// The factors of the matrices [count, n, n] of one group.
Tensor factored(const Tensor& a, const std::vector<Block>& blocks, bool hermitian) {
    Tensor rest = mirrored(a, hermitian);
    std::vector<Tensor> columns;
    for (const Block& b : blocks) {
        const Tensor order = exchange(b, a.size(-1), a.device());
        rest = with_columns(with_rows(rest, order), order);
        const Tensor d = corner(rest, 0, b.size);
        const Tensor left = narrow(slice(rest, -2, b.size), -1, 0, b.size), l = matmul(left, inverse_of(d));
        const Tensor above = zeros_raw({a.size(0), b.first, b.size}, a);
        columns.push_back(cat({above, tril(d), l}, -2));
        rest = slice(slice(rest, -2, b.size), -1, b.size) - matmul(l, flipped(left, hermitian));
    }
    return columns.empty() ? a : cat(columns, -1);
}
/// X [count, n, k] with A X = `rhs` for the factors of one group.
Tensor solved(const Tensor& ld, const Tensor& rhs, const std::vector<Block>& blocks, bool hermitian) {
    const std::int64_t n = ld.size(-1);
    const auto below = [&](const Block& b) { return narrow(slice(ld, -2, b.first + b.size), -1, b.first, b.size); };
    std::vector<Tensor> tops;
    Tensor rest = rhs;
    for (const Block& b : blocks) { // L y = b, and y / D
        rest = with_rows(rest, exchange(b, n, ld.device()));
        const Tensor top = narrow(rest, -2, 0, b.size), d = mirrored(corner(ld, b.first, b.size), hermitian);
        rest = slice(rest, -2, b.size) - matmul(below(b), top);
        tops.push_back(matmul(inverse_of(d), top));
    }
    for (std::size_t i = blocks.size(); i-- > 0;) {
        const Tensor top = tops[i] - matmul(flipped(below(blocks[i]), hermitian), rest);
        rest = with_rows(cat({top, rest}, -2), exchange(blocks[i], n, ld.device()));
    }
    return rest;
}
/// The batch in one dimension, before the last `dims`.
Tensor in_line(const Tensor& t, std::int64_t dims) {
    Dims sizes{1};
    for (std::int64_t d = 0; d < t.dim(); ++d)
        if (d < t.dim() - dims) sizes[0] *= t.size(d);
        else sizes.push_back(t.size(d));
    return reshape(t, sizes);
}
/// `of_group(pick, blocks)` for the matrices of each group, put together again in the shape of `like`; `pick` takes the
/// group's matrices out of a batch.
template <class F> Tensor by_groups(const Tensor& like, const Tensor& pivots, F of_group) {
    const std::vector<Group> groups = groups_of(contiguous_raw(in_line(pivots, 1)));
    if (groups.empty()) return like; // no matrices
    std::vector<Tensor> results;
    std::vector<std::int64_t> members;
    for (const Group& g : groups) {
        const Tensor places = tensor_of(g.members).to(like.device());
        const auto pick = [&](const Tensor& t) {
            return groups.size() == 1 ? in_line(t, 2) : index_select(in_line(t, 2), 0, places);
        };
        results.push_back(of_group(pick, g.blocks));
        members.insert(members.end(), g.members.begin(), g.members.end());
    }
    if (groups.size() == 1) return reshape(results[0], like.sizes());
    std::vector<std::int64_t> back(members.size());
    for (std::size_t i = 0; i < members.size(); ++i) back[std::size_t(members[i])] = std::int64_t(i);
    return reshape(index_select(cat(results, 0), 0, tensor_of(back).to(like.device())), like.sizes());
}

} // namespace

Tensor matrices::ldl_factor_again(const Tensor& a, const Tensor& pivots, bool hermitian) {
    return by_groups(a, pivots, [&](const auto& pick, const std::vector<Block>& blocks) {
        return factored(pick(a), blocks, hermitian);
    });
}
Tensor matrices::ldl_solve_again(const Tensor& ld, const Tensor& pivots, const Tensor& b, bool hermitian) {
    return by_groups(b, pivots, [&](const auto& pick, const std::vector<Block>& blocks) {
        return solved(pick(ld), pick(b), blocks, hermitian);
    });
}

} // namespace reel
