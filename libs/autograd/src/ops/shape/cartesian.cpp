// All combinations of the elements of vectors.

#include "ops/shape/shape_util.hpp"
#include "tensor/checked_size.hpp"
#include "tensor/host_values.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>

#include <reel/autograd/ops/factory/like.hpp>
#include <reel/autograd/ops/pointwise/arithmetic.hpp>
#include <reel/autograd/ops/reduce/scan.hpp>
#include <reel/autograd/ops/shape/arrange.hpp>
#include <reel/autograd/ops/shape/cartesian.hpp>
#include <reel/autograd/ops/shape/expand.hpp>
#include <reel/autograd/ops/shape/join.hpp>
#include <reel/autograd/ops/shape/squeeze.hpp>
#include <reel/autograd/ops/shape/stack.hpp>

namespace reel {

using namespace autograd;
using namespace detail;
using namespace shape;

/// Coordinate grids of vectors (a 0-dim tensor counts as one element): output i varies as tensor i along dimension i.
/// indexing 'xy' exchanges the first two dimensions. Views.
REEL_OP("meshgrid(Tensor[] tensors, *, str? indexing=None) -> Tensor[]", composite, view)
std::vector<Tensor> meshgrid(TensorList tensors, std::optional<std::string_view> indexing) {
    REEL_CHECK(!tensors.empty(), "meshgrid: expected a non-empty list of tensors");
    REEL_CHECK(!indexing || *indexing == "ij" || *indexing == "xy", "meshgrid: indexing must be 'ij' or 'xy', got '",
               indexing.value_or(""), "'");
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const Tensor& t = tensors[i];
        REEL_CHECK(t.dim() <= 1, "meshgrid: tensor ", i, " has sizes ", t.sizes(), "; expected at most one dimension");
        REEL_CHECK(t.scalar_type() == tensors[0].scalar_type(), "meshgrid: tensor ", i, " is ",
                   toString(t.scalar_type()), ", tensor 0 ", toString(tensors[0].scalar_type()),
                   "; all must have one dtype");
        REEL_CHECK(t.device() == tensors[0].device(), "meshgrid: tensor ", i, " is on ", t.device().str(),
                   ", tensor 0 on ", tensors[0].device().str());
    }
    const bool swapped = indexing && *indexing == "xy" && tensors.size() >= 2;
    Dims sizes;
    for (const Tensor& t : tensors) sizes.push_back(t.numel());
    if (swapped) std::swap(sizes[0], sizes[1]);
    check_sizes("meshgrid", sizes, kByte);
    std::vector<Tensor> out;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        Dims alone(sizes.size(), 1);
        alone[swapped && i < 2 ? 1 - i : i] = tensors[i].numel();
        out.push_back(tensors[i].view(alone).expand(sizes));
    }
    return out;
}

/// Every way to take one element from each vector: one row each, in lexicographic order. One vector is returned as is.
REEL_OP("cartesian_prod(Tensor[] tensors) -> Tensor", composite)
Tensor cartesian_prod(TensorList tensors) {
    REEL_CHECK(!tensors.empty(), "cartesian_prod: expected a non-empty list of tensors");
    for (std::size_t i = 0; i < tensors.size(); ++i)
        REEL_CHECK(tensors[i].dim() == 1, "cartesian_prod: tensor ", i, " has sizes ", tensors[i].sizes(),
                   "; expected one dimension");
    if (tensors.size() == 1) return tensors[0];
    std::vector<Tensor> columns = meshgrid(tensors);
    for (Tensor& t : columns) t = t.reshape({-1});
    return stack(columns, 1);
}

namespace {
/// How many ways there are to take `r` of `n`.
std::int64_t selections(std::int64_t n, std::int64_t r, bool with_replacement) {
    if (with_replacement ? n == 0 : r > n) return 0;
    const std::int64_t all = with_replacement ? checked_add("combinations", "the number of rows", n - 1, r) : n;
    std::int64_t ways = 1;
    for (std::int64_t i = 1; i <= std::min(r, all - r); ++i)
        ways = checked_mul("combinations", "the number of rows", ways, all - std::min(r, all - r) + i) / i;
    return ways;
}
} // namespace

/// All selections of `r` elements of a vector in order of position, with repetition if asked for: one row each.
REEL_OP("combinations(Tensor input, int r=2, bool with_replacement=False) -> Tensor", composite)
Tensor combinations(const Tensor& input, std::int64_t r, bool with_replacement) {
    REEL_CHECK(input.dim() == 1, "combinations: expected a vector, got sizes ", input.sizes());
    REEL_CHECK(r >= 0, "combinations: r must not be negative, got ", r);
    if (r == 0) return input.new_empty({0});
    const std::int64_t n = input.numel();
    const std::int64_t rows = selections(n, r, with_replacement);
    check_sizes("combinations", {rows, r}, kLong);
    std::vector<std::int64_t> index;
    checked_reserve("combinations", "the rows", index, rows * r);
    std::vector<std::int64_t> at;
    if (rows > 0) {
        checked_reserve("combinations", "a row", at, r);
        at.resize(std::size_t(r));
    }
    if (!with_replacement) std::iota(at.begin(), at.end(), 0);
    for (bool more = rows > 0; more;) {
        index.insert(index.end(), at.begin(), at.end());
        std::int64_t k = r - 1; // the last position that can still move on
        while (k >= 0 && at[std::size_t(k)] == (with_replacement ? n - 1 : n - r + k)) --k;
        more = k >= 0;
        if (!more) break;
        ++at[std::size_t(k)];
        for (std::int64_t i = k + 1; i < r; ++i) at[std::size_t(i)] = at[std::size_t(i - 1)] + !with_replacement;
    }
    return input.index_select(0, tensor_of(index).to(input.device())).reshape({rows, r});
}

/// The Kronecker product: every element of `input` times all of `other`.
REEL_OP("kron(Tensor input, Tensor other) -> Tensor", composite, method, out)
Tensor kron(const Tensor& input, const Tensor& other) {
    const std::size_t n = std::size_t(std::max(input.dim(), other.dim()));
    if (n == 0) return mul(input, other);
    const std::size_t la = n - std::size_t(input.dim()), lb = n - std::size_t(other.dim());
    Dims a, b, sizes;
    for (std::size_t i = 0; i < n; ++i) {
        const std::int64_t p = i < la ? 1 : input.sizes()[i - la], q = i < lb ? 1 : other.sizes()[i - lb];
        a.push_back(p);
        a.push_back(1);
        b.push_back(1);
        b.push_back(q);
        sizes.push_back(p * q);
    }
    Tensor x = input.reshape(a), y = other.reshape(b);
    const std::int64_t p = a[2 * n - 2], q = b[2 * n - 1];
    if (4 * q <= y.numel() && 4 * p <= x.numel()) { // rows of the result are long then, and few are made ahead
        const auto with_whole_rows = [&](const Tensor& t, Dims d) {
            d[2 * n - 2] = p;
            d[2 * n - 1] = q;
            const Tensor wide = t.expand(d);
            d.pop_back();
            d.back() = p * q;
            return wide.reshape(d);
        };
        x = with_whole_rows(x, a);
        y = with_whole_rows(y, b);
    }
    return mul(x, y).reshape(sizes);
}

namespace {
/// 1, x, x^2, ... as a new last dimension of `n`.
Tensor powers(const char* op, const Tensor& x, std::int64_t n) {
    const Tensor column = unsqueeze(x, -1), one = ones_like(column);
    if (n == 1) return one;
    Dims sizes(column.sizes());
    sizes.back() = n;
    check_sizes(op, sizes, x.scalar_type());
    sizes.back() = n - 1;
    return cat({one, cumprod(expand(column, sizes), -1)}, -1);
}
/// Powers of integers are int64.
Tensor wide_integers(const Tensor& x) { return isIntegralType(x.scalar_type(), false) ? x.to(kLong) : x; }
} // namespace

/// The powers of each element of a vector as the columns of a matrix, the highest first unless `increasing`; as many
/// as elements, or `N`.
REEL_OP("vander(Tensor x, int? N=None, bool increasing=False) -> Tensor", composite, samples(call(numbers({3}))))
Tensor vander(const Tensor& x, std::optional<std::int64_t> N, bool increasing) {
    REEL_CHECK(x.dim() == 1, "vander: expected a vector, got sizes ", x.sizes());
    const std::int64_t n = N.value_or(x.numel());
    REEL_CHECK(n >= 0, "vander: N must not be negative, got ", n);
    if (n == 0) return x.new_empty({x.numel(), 0});
    const Tensor m = powers("vander", wide_integers(x), n);
    return increasing ? m : flip(m, {-1});
}
/// The powers 0 to N - 1 (default: the last size) of each element, as a new last dimension.
REEL_OP("linalg.vander(Tensor x, *, int? N=None) -> Tensor", composite)
Tensor linalg_vander(const Tensor& x, std::optional<std::int64_t> N) {
    REEL_CHECK(x.scalar_type() != kBool, "linalg.vander: expected numbers, got bool");
    const Tensor v = x.dim() == 0 ? x.reshape({1}) : x;
    const std::int64_t n = N.value_or(v.size(-1));
    REEL_CHECK(n > 1, "linalg.vander: N must be greater than 1, got ", n);
    return powers("linalg.vander", wide_integers(v), n);
}

} // namespace reel
