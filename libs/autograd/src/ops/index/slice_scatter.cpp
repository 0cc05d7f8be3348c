// Copies of a tensor in which the part that a view would show is replaced.
#include <reel/autograd/ops/index/slice_scatter.hpp>
#include <reel/autograd/ops/pointwise/complex_parts.hpp>
#include <reel/autograd/ops/shape/diagonals.hpp>
#include <reel/autograd/ops/shape/slice.hpp>

#include "ops/pointwise/run.hpp"
#include "ops/shape/shape_util.hpp"

namespace reel {

using namespace autograd;
using namespace detail;
using namespace shape;

namespace {
/// `view(x)` shows the part; it is called on tensors shaped as `input`. The gradient of `input` is zero at the part.
template <class View> Tensor replaced(const char* op, const Tensor& input, const Tensor& src, const View& view) {
    REEL_CHECK(src.device() == input.device(), op, ": src is on ", src.device().str(), ", input on ",
               input.device().str());
    const Tensor out = empty_raw(input.sizes(), input);
    assign_raw(out, input);
    {
        const NoGradGuard off;
        const Tensor part = view(out);
        REEL_CHECK(part.sizes().equals(src.sizes()), op, ": src has sizes ", src.sizes(), ", the part it replaces ",
                   part.sizes());
        copy_raw(part, src);
    }
    record(op, {input, src}, out, {}, [op, view, kind = src.is_complex()](RuleContext& c) -> GradList {
        GradList g(2);
        const Tensor part = view(c.grad());
        if (c.needs(0)) g[0] = replaced(op, c.grad(), zeros_raw(part.sizes(), part), view);
        if (c.needs(1)) g[1] = pointwise::fit_gradient(part, kind);
        return g;
    });
    return out;
}
} // namespace

/// A copy of `input` with `src` in place of `select(dim, index)`.
REEL_OP("select_scatter(Tensor input, Tensor src, int dim, int index) -> Tensor", rule, method)
Tensor select_scatter(const Tensor& input, const Tensor& src, std::int64_t dim, std::int64_t index) {
    return replaced("select_scatter", input, src, [=](const Tensor& x) { return select(x, dim, index); });
}

/// A copy of `input` with `src` in place of `slice(dim, start, end, step)`.
REEL_OP("slice_scatter(Tensor input, Tensor src, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor",
        rule, method, out_exact)
Tensor slice_scatter(const Tensor& input, const Tensor& src, std::int64_t dim, std::optional<std::int64_t> start,
                     std::optional<std::int64_t> end, std::int64_t step) {
    return replaced("slice_scatter", input, src, [=](const Tensor& x) { return slice(x, dim, start, end, step); });
}

/// A copy of `input` with `src` in place of `diagonal(offset, dim1, dim2)`.
REEL_OP("diagonal_scatter(Tensor input, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor", rule, method)
Tensor diagonal_scatter(const Tensor& input, const Tensor& src, std::int64_t offset, std::int64_t dim1,
                        std::int64_t dim2) {
    return replaced("diagonal_scatter", input, src, [=](const Tensor& x) { return diagonal(x, offset, dim1, dim2); });
}

} // namespace reel
