#include "ops/shape/geometry_change.hpp"

#include <reel/autograd/node.hpp>
#include <reel/autograd/record.hpp>

#include "tape/autograd_meta.hpp"
#include "tape/inplace.hpp"
#include "tensor/raw.hpp"

namespace reel::detail {

Tensor begin_geometry_change(const char* name, const Tensor& self) {
    self.checked();
    autograd::refuse_inference(self, name);
    autograd::check_inplace(self, name);
    Tensor before = alias_raw(self);
    if (!autograd::needs_recording(self)) return before;
    autograd::Edge edge = autograd::gradient_edge(self);
    before.impl()->set_history(std::move(edge.function), edge.input_nr);
    return before;
}

Tensor& finish_geometry_change(const char*, const Tensor& self, const Tensor& result) {
    TensorImpl& impl = *self.impl();
    const bool recorded = autograd::needs_recording(self);
    impl.set_geometry(result.sizes(), result.strides(), result.storage_offset());
    impl.bump_version();
    // A view keeps its base, whose data has not changed: its history is that of the operation, and current.
    if (recorded) self.impl()->set_history(result.impl()->grad_fn_unchecked(), result.impl()->output_nr());
    return const_cast<Tensor&>(self);
}

} // namespace reel::detail
