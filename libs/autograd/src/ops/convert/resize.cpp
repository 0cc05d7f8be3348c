// Tensors that change their own sizes, and diagonals filled in place.
#include "ops/shape/shape_util.hpp"

#include <algorithm>

#include <reel/autograd/ops/convert/resize.hpp>
#include <reel/autograd/ops/shape/strided.hpp>

#include "tape/inplace.hpp"
#include "tensor/checked_size.hpp"

namespace reel {

using namespace autograd;
using namespace detail;
using namespace shape;

/// Gives the tensor other sizes, row-major or in `memory_format`. Elements keep their places in memory; memory grows
/// when it must, and what it grows by is uninitialised. Refused for tensors that require grad.
REEL_OP("resize_(Tensor input, int[] size, *, MemoryFormat? memory_format=None) -> Tensor", not_differentiable, method,
        samples(call(numbers({3, 4}), ints({2, 3}))))
Tensor& resize_(const Tensor& input, IntArrayRef size, std::optional<MemoryFormat> memory_format) {
    REEL_CHECK(!input.requires_grad() || (input.is_inference() && InferenceMode::is_enabled()),
               "resize_: cannot resize a tensor that requires grad");
    check_sizes("resize_", size, input.scalar_type());
    REEL_CHECK(memory_format != MemoryFormat::Preserve,
               "resize_: memory_format is preserve_format; expected one that says how elements lie");
    const Dims strides = strides_of(size, memory_format.value_or(MemoryFormat::Contiguous));
    TensorImpl& impl = *input.impl();
    const std::size_t needed =
        input.itemsize() *
        std::size_t(checked_extent("resize_", size, strides, input.storage_offset(), input.scalar_type()));
    if (needed > input.storage()->nbytes()) {
        const std::int64_t had = std::int64_t(input.storage()->nbytes() / input.itemsize());
        const Tensor larger = empty_raw({std::int64_t(needed / input.itemsize())}, input.scalar_type(), input.device());
        if (had > 0) assign_raw(narrow_raw(larger, 0, 0, had), alias_raw(input, {had}, {1}, 0));
        larger.storage()->set_version(impl.version());
        impl.set_storage(larger.storage());
    }
    impl.set_geometry(size, strides, input.storage_offset());
    impl.bump_version();
    return const_cast<Tensor&>(input);
}
/// `resize_` to the sizes of `the_template`, with preserve_format in its memory format.
REEL_OP("resize_as_(Tensor input, Tensor the_template, *, MemoryFormat? memory_format=None) -> Tensor",
        not_differentiable, method, any_device("the_template"), samples(call(numbers({3, 4}), numbers({2, 3}))))
Tensor& resize_as_(const Tensor& input, const Tensor& the_template, std::optional<MemoryFormat> memory_format) {
    if (memory_format == MemoryFormat::Preserve) memory_format = the_template.suggest_memory_format();
    return resize_(input, the_template.sizes(), memory_format);
}

/// Writes `fill_value` to the main diagonal; `wrap`: a tall matrix starts it again below. More than two dimensions must
/// be of one size.
REEL_OP("fill_diagonal_(Tensor input, Scalar fill_value, bool wrap=False) -> Tensor", composite, method,
        samples(call(numbers({3, 4}), 2.0)))
Tensor& fill_diagonal_(const Tensor& input, const Scalar& fill_value, bool wrap) {
    REEL_CHECK(input.dim() >= 2, "fill_diagonal_: expected at least 2 dimensions, got sizes ", input.sizes());
    const IntArrayRef s = input.sizes();
    REEL_CHECK(input.dim() == 2 || std::all_of(s.begin(), s.end(), [&](std::int64_t n) { return n == s[0]; }),
               "fill_diagonal_: all dimensions must be of one size when there are more than 2, got ", s);
    std::int64_t step = 0;
    for (const std::int64_t x : input.strides()) step += x;
    const std::int64_t n = std::min(s[0], s[1]);
    as_strided(input, {n}, {step}, input.storage_offset()).fill_(fill_value);
    if (wrap && input.dim() == 2)
        for (std::int64_t i = n * (s[1] + 1); i < s[0] * s[1]; i += s[1] + 1)
            input.select(0, i / s[1]).select(0, i % s[1]).fill_(fill_value);
    return const_cast<Tensor&>(input);
}

} // namespace reel
