// Memory that nobody has written.
#include <reel/autograd/ops/factory/empty.hpp>

#include "ops/factory/fill.hpp"
#include "tensor/checked_size.hpp"
#include "tensor/raw.hpp"

namespace reel {

using namespace factory;
using namespace detail;

REEL_OP("empty(int[] size, *, TensorOptions options={}) -> Tensor", not_differentiable, out,
        samples(call(ints({2, 3}))))
Tensor empty(IntArrayRef size, TensorOptions options) { return finish(unfilled("empty", size, options), options); }
REEL_OP("empty_strided(int[] size, int[] stride, *, TensorOptions options={}) -> Tensor", not_differentiable,
        samples(call(ints({2, 3}), ints({1, 2}))))
Tensor empty_strided(IntArrayRef size, IntArrayRef stride, TensorOptions options) {
    REEL_CHECK(size.size() == stride.size(), "empty_strided: size ", size, " and stride ", stride, " differ in length");
    return finish(empty_strided_raw(size, stride, options.dtype(), options.device()), options);
}
REEL_OP("new_empty(Tensor input, int[] size, *, TensorOptions options={}) -> Tensor", not_differentiable, method,
        samples(call(numbers({3, 4}), ints({2, 3}))))
Tensor new_empty(const Tensor& input, IntArrayRef size, TensorOptions options) {
    const TensorOptions o = like(input, options);
    return finish(unfilled("new_empty", size, o), o);
}
REEL_OP("new_empty_strided(Tensor input, int[] size, int[] stride, *, TensorOptions options={}) -> Tensor",
        not_differentiable, method, samples(call(numbers({3, 4}), ints({2, 3}), ints({1, 2}))))
Tensor new_empty_strided(const Tensor& input, IntArrayRef size, IntArrayRef stride, TensorOptions options) {
    REEL_CHECK(size.size() == stride.size(), "new_empty_strided: size ", size, " and stride ", stride,
               " differ in length");
    const TensorOptions o = like(input, options);
    return finish(empty_strided_raw(size, stride, o.dtype(), o.device()), o);
}

/// Uninitialised memory of sizes `size` whose dimensions lie in memory in the order `physical_layout`.
REEL_OP("empty_permuted(int[] size, int[] physical_layout, *, TensorOptions options={}) -> Tensor", not_differentiable,
        samples(call(ints({2, 3}), ints({1, 0}))))
Tensor empty_permuted(IntArrayRef size, IntArrayRef physical_layout, TensorOptions options) {
    REEL_CHECK(size.size() == physical_layout.size(), "empty_permuted: size ", size, " and physical_layout ",
               physical_layout, " differ in length");
    check_sizes("empty_permuted", size, options.dtype());
    Dims strides(size.size(), -1);
    std::int64_t step = 1;
    for (std::size_t i = physical_layout.size(); i-- > 0;) {
        const std::int64_t d = physical_layout[i];
        REEL_CHECK(d >= 0 && d < std::int64_t(size.size()) && strides[std::size_t(d)] == -1,
                   "empty_permuted: physical_layout must name each dimension once, got ", physical_layout);
        strides[std::size_t(d)] = step;
        step *= size[std::size_t(d)] > 1 ? size[std::size_t(d)] : 1;
    }
    Tensor out = empty_strided_raw(size, strides, options.dtype(), options.device());
    return finish(std::move(out), options);
}

} // namespace reel
