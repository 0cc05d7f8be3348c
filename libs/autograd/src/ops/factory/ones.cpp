// Ones, and the identity matrix.
#include <reel/autograd/ops/factory/ones.hpp>

#include "ops/factory/fill.hpp"
#include "tensor/raw.hpp"

namespace reel {

using namespace factory;
using namespace detail;

REEL_OP("ones(int[] size, *, TensorOptions options={}) -> Tensor", not_differentiable, out)
Tensor ones(IntArrayRef size, TensorOptions options) { return filled("ones", size, 1, options); }
REEL_OP("new_ones(Tensor input, int[] size, *, TensorOptions options={}) -> Tensor", not_differentiable, method)
Tensor new_ones(const Tensor& input, IntArrayRef size, TensorOptions options) {
    return filled("new_ones", size, 1, like(input, options));
}
REEL_OP("eye(int n, int? m=None, *, TensorOptions options={}) -> Tensor", not_differentiable, out)
Tensor eye(std::int64_t n, std::optional<std::int64_t> m, TensorOptions options) {
    REEL_CHECK(n >= 0 && m.value_or(0) >= 0, "eye: n and m must not be negative, got ", n, " and ", m.value_or(n));
    Tensor t = filled("eye", {n, m.value_or(n)}, 0, options.requires_grad(false));
    const std::int64_t k = std::min(n, m.value_or(n));
    fill_raw(alias_raw(t, {k}, {k == 0 ? 1 : m.value_or(n) + 1}, 0), 1);
    return finish(std::move(t), options);
}

} // namespace reel
