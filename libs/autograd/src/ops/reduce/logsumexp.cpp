// log(sum(exp)) and the softmax of the negative.
#include <limits>

#include <reel/autograd/kernels/reduce.hpp>
#include <reel/autograd/ops/pointwise/complex_parts.hpp>
#include <reel/autograd/ops/pointwise/conj.hpp>
#include <reel/autograd/ops/pointwise/exponential.hpp>
#include <reel/autograd/ops/pointwise/masked_fill.hpp>
#include <reel/autograd/ops/reduce/logsumexp.hpp>

#include "ops/reduce/reduction.hpp"

namespace reel {

using namespace autograd;
using namespace reduction;

/// log of the sum of exp(input) over `dim` (all when empty), without overflow.  gx = g exp(x - y)
REEL_OP("logsumexp(Tensor input, int[] dim, bool keepdim=False) -> Tensor", rule, method, out,
        alias("special.logsumexp"))
Tensor logsumexp(const Tensor& input, IntArrayRef dim, bool keepdim) {
    const Dims dims = reduced_dims("logsumexp", input, dim);
    const ScalarType t = float_type(input.scalar_type());
    const Tensor x = t == input.scalar_type() ? input : input.to(t);
    std::int64_t inner = 1;
    const Tensor rows = rows_in_any_order(x, dims, inner);
    Tensor out = empty_raw(reduced_sizes(x, dims, keepdim), t, x.device());
    kernels::logsumexp(out, rows, inner);
    record("logsumexp", {x}, out, {x, out}, [dims, keepdim](RuleContext& c) -> GradList {
        const Tensor x = c.saved(0);
        const Dims shape(x.sizes());
        const Tensor g = keep_dims(c.grad(), shape, dims, keepdim);
        Tensor y = keep_dims(c.saved(1), shape, dims, keepdim);
        // Rows of -infinity alone have weights of zero.
        y = masked_fill(y, real(y) == -std::numeric_limits<double>::infinity(), 0);
        return {g * conj(exp(x - y))};
    });
    return out;
}
} // namespace reel
