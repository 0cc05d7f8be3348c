// Tensors that take over another tensor's memory.
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops/convert/set_source.hpp>
#include <reel/autograd/ops/shape/strided.hpp>
#include <reel/autograd/record.hpp>

#include "tensor/checked_size.hpp"
#include "tensor/raw.hpp"

namespace reel {

using namespace detail;

namespace {

Tensor& take_over(const Tensor& input, const Tensor& source) {
    REEL_CHECK(!GradMode::is_enabled() || !(input.requires_grad() || source.requires_grad()),
               "set_: ", input.requires_grad() ? "input" : "source",
               " requires grad, and no gradient passes set_; detach() it or use a no-grad block");
    REEL_CHECK(!input.is_view(), "set_: input is a view, which shows its base's memory; use detach() for one that may "
                                 "show other memory");
    REEL_CHECK_WITH(TypeError, input.scalar_type() == source.scalar_type(), "set_: input is ",
                    dtype_name(input.scalar_type()), " and source is ", dtype_name(source.scalar_type()),
                    "; expected one dtype");
    REEL_CHECK(input.device() == source.device(), "set_: input is on ", input.device(), " and source on ",
               source.device(), "; expected one device");
    TensorImpl& impl = *input.impl();
    impl.set_storage(source.storage());
    impl.set_geometry(source.sizes(), source.strides(), source.storage_offset());
    impl.bump_version();
    return const_cast<Tensor&>(input);
}

} // namespace

/// Makes `input` show the memory, the sizes and the strides of `source`, which both share from then on. Errors:
/// TypeError for another dtype, Error for another device, for views, and, while recording, for tensors that require
/// grad.
REEL_OP("set_(Tensor input, Tensor source) -> Tensor", not_differentiable, method,
        samples(call(numbers({3, 4}), numbers({5}))))
Tensor& set_(const Tensor& input, const Tensor& source) { return take_over(input, source); }
/// The same with other sizes, strides (row-major without) and another first element, counted in the whole memory.
REEL_OP("set_(Tensor input, Tensor source, int storage_offset, int[] size, int[] stride=[]) -> Tensor",
        not_differentiable, method)
Tensor& set_(const Tensor& input, const Tensor& source, std::int64_t storage_offset, IntArrayRef size,
             IntArrayRef stride) {
    for (const std::int64_t s : size) REEL_CHECK_VALUE(s >= 0, "set_: size must not be negative, got ", size);
    check_sizes("set_", size, input.scalar_type());
    const Dims row_major = contiguous_strides(size);
    const NoGradGuard guard;
    return take_over(
        input, as_strided(source.detach(), size, stride.empty() ? IntArrayRef(row_major) : stride, storage_offset));
}
/// Makes `input` an empty vector without memory.
REEL_OP("set_(Tensor input) -> Tensor", not_differentiable, method)
Tensor& set_(const Tensor& input) { return take_over(input, empty_raw({0}, input.scalar_type(), input.device())); }

} // namespace reel
