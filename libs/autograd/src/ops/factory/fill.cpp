// Memory of a tensor's layout, filled.
#include "ops/factory/fill.hpp"

#include <reel/autograd/like_factories.hpp>

#include "tensor/checked_size.hpp"
#include "tensor/number_range.hpp"
#include "tensor/raw.hpp"

namespace reel {

using namespace detail;

namespace factory {
Tensor finish(Tensor t, const TensorOptions& o) {
    REEL_CHECK_NOT_IMPLEMENTED(o.layout() == kStrided,
                               "layout: factories make strided tensors, the options ask for another "
                               "layout; sparse_coo_tensor() makes sparse ones");
    if (o.requires_grad()) t.requires_grad_();
    return t;
}
TensorOptions like(const Tensor& t, const TensorOptions& o) {
    return TensorOptions(t.scalar_type()).device(t.device()).merge_in(o);
}
Tensor unfilled(const char* op, IntArrayRef size, const TensorOptions& o) {
    check_sizes(op, size, o.dtype());
    const MemoryFormat f = o.memory_format_opt().value_or(MemoryFormat::Contiguous);
    if (f == MemoryFormat::Contiguous) return empty_raw(size, o.dtype(), o.device());
    REEL_CHECK_VALUE(f != MemoryFormat::Preserve, "memory_format: there is no tensor whose layout could be preserved; "
                                                  "give contiguous, channels_last or channels_last_3d");
    return empty_strided_raw(size, strides_of(size, f), o.dtype(), o.device());
}
Tensor undrawn(const char* op, IntArrayRef size, const TensorOptions& o) {
    return finish(unfilled(op, size, o), o.requires_grad(false));
}
Tensor filled(const char* op, IntArrayRef size, const Scalar& v, const TensorOptions& o) {
    check_holds(op, o.dtype(), v);
    Tensor t = unfilled(op, size, o);
    fill_raw(t, v);
    return finish(std::move(t), o);
}
Tensor unfilled_like(const Tensor& input, const TensorOptions& o) {
    const MemoryFormat f = o.memory_format_opt().value_or(MemoryFormat::Preserve);
    const bool kept = f == MemoryFormat::Preserve && input.is_non_overlapping_and_dense();
    return empty_strided_raw(input.sizes(), kept ? Dims(input.strides()) : strides_of(input.sizes(), f), o.dtype(),
                             o.device());
}
Tensor filled_like(const Tensor& input, const Scalar& v, const TensorOptions& o) {
    const TensorOptions merged = like(input, o);
    check_holds("full_like", merged.dtype(), v);
    Tensor t = unfilled_like(input, merged);
    fill_raw(t, v);
    return finish(std::move(t), merged);
}
} // namespace factory

namespace detail {
TensorOptions with_memory_format(const TensorOptions& options, std::optional<MemoryFormat> format) {
    REEL_CHECK_VALUE(!format || !options.has_memory_format(),
                     "memory_format: set both in the options and as an argument; leave one out");
    return format ? options.memory_format(format) : options;
}
} // namespace detail

} // namespace reel
