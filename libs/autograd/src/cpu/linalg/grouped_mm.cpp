// Products of groups of matrices: each group is a product of parts of the operands, which are never copied for it.
#include <reel/autograd/kernels/grouped_mm.hpp>

#include <algorithm>
#include <vector>

#include <reel/autograd/host_data.hpp>
#include <reel/autograd/kernels/matmul.hpp>
#include <reel/autograd/parallel.hpp>

#include "cpu/linalg/gemm.hpp"
#include "tensor/raw.hpp"

namespace reel {

using namespace detail;

namespace {
constexpr const char* op = "grouped_mm";

/// out = a b; the rows of `out` are dense and may lie apart.
void product(const Tensor& out, const Tensor& a, const Tensor& b) {
    if (out.numel() == 0) return;
    if (a.size(1) == 0) return fill_raw(out, 0);
    const StridedMatrix x(a), y(b);
    cpu::gemm(out.scalar_type(), x.transposed, y.transposed, a.size(0), b.size(1), a.size(1), 1,
              host_data(x.data(), op), x.ld, host_data(y.data(), op), y.ld, 0, host_data(out, op),
              std::max(out.strides()[0], out.size(1)));
}
} // namespace

std::vector<std::int64_t> group_bounds(const Tensor& offs, std::int64_t n) {
    const std::int32_t* const ends = host_data<std::int32_t>(offs, op);
    std::vector<std::int64_t> bounds(std::size_t(offs.numel()) + 1);
    for (std::size_t i = 1; i < bounds.size(); ++i) {
        bounds[i] = ends[i - 1];
        REEL_CHECK(bounds[i] >= bounds[i - 1] && bounds[i] <= n, op, ": offs[", i - 1, "] is ", bounds[i],
                   "; expected at least ", bounds[i - 1], ", where the group before it ends, and at most ", n,
                   ", the size of the dimension that is cut");
    }
    return bounds;
}

void cpu::grouped_mm(const Tensor& out, const Tensor& a, const Tensor& b, const Tensor& offs) {
    const bool rows = b.dim() == 3, columns = a.dim() == 3; // which is cut; neither: the dimension that is summed over
    const std::int64_t n = rows ? a.size(0) : b.size(columns ? 1 : 0), groups = offs.numel();
    const std::vector<std::int64_t> bounds = group_bounds(offs, n);
    const auto cut = [&](const Tensor& t, std::int64_t dim, std::size_t i) {
        return narrow_raw(t, dim, bounds[i], bounds[i + 1] - bounds[i]);
    };
    const auto matrix = [](const Tensor& t, std::size_t i) { return select_raw(t, 0, std::int64_t(i)); };
    const std::int64_t all = std::max<std::int64_t>(1, a.size(-2) * a.size(-1) * b.size(-1));
    const std::int64_t work = std::max<std::int64_t>(1, all / std::max<std::int64_t>(1, groups));
    parallel_for(0, groups, std::max<std::int64_t>(1, 100000 / work), [&](std::int64_t begin, std::int64_t end) {
        for (std::size_t i = std::size_t(begin); i < std::size_t(end); ++i) {
            if (rows) product(cut(out, 0, i), cut(a, 0, i), matrix(b, i));
            else if (columns) product(cut(out, 1, i), matrix(a, i), cut(b, 1, i));
            else product(matrix(out, i), cut(a, 1, i), cut(b, 0, i));
        }
    });
    const std::int64_t behind = n - bounds.back();
    if (behind > 0 && (rows || columns)) fill_raw(narrow_raw(out, rows ? 0 : 1, bounds.back(), behind), 0);
}

} // namespace reel
