// In-place forms by way of the out-of-place op.
#include "op/inplace_form.hpp"

#include <reel/autograd/record.hpp>

#include "tape/inplace.hpp"
#include "tape/modes.hpp"
#include "tensor/raw.hpp"
#include "tensor/sparse_parts.hpp"

namespace reel::detail {

Tensor begin_in_place(const char* name, const Tensor& self) {
    autograd::check_inplace(self, name);
    Tensor stand_in = alias_raw(self);
    if (thread_modes.observers && GradMode::is_enabled() && !autograd::tape_modes().saved_hooks.empty()) {
        // A pack hook may keep an alias of the operand, which the result will overwrite.
        if (self.is_sparse()) stand_in = sparse_raw(self.sizes(), sparse_parts(name, self));
        else {
            stand_in = empty_like_raw(self, self.scalar_type());
            copy_raw(stand_in, self);
        }
    }
    if (GradMode::is_enabled() && self.requires_grad()) {
        const autograd::Edge e = autograd::gradient_edge(self);
        stand_in.impl()->set_history(e.function, e.input_nr);
    }
    return stand_in;
}

void finish_in_place(const char* name, const Tensor& self, const Tensor& stand_in, const Tensor& result) {
    REEL_CHECK(result.sizes().equals(self.sizes()), name, ": the result has shape ", result.sizes(),
               ", which cannot be written into input of shape ", self.sizes(), "; use the out-of-place form");
    REEL_CHECK(can_cast(result.scalar_type(), self.scalar_type()), name, ": the result is ",
               dtype_name(result.scalar_type()), ", which cannot be written into input of dtype ",
               dtype_name(self.scalar_type()), "; use the out-of-place form");
    if (autograd::needs_recording(result)) autograd::check_recorded_write(self, name);
    if (self.is_sparse() || result.is_sparse()) write_sparse(name, self, result);
    else if (!result.is_same(stand_in)) {
        if (stand_in.use_count() > 1 || result.storage() == self.storage()) {
            // The rule saved the operand, or the result aliases it: let that keep its data.
            const std::uint32_t version = stand_in.impl()->version();
            if (result.storage() == self.storage()) {
                Tensor copy = empty_raw(result.sizes(), result.scalar_type(), result.device());
                copy_raw(copy, result);
                copy_raw(self, copy);
                autograd::rebase_history(self, result, name);
                return;
            }
            Tensor copy = empty_like_raw(stand_in, stand_in.scalar_type());
            copy_raw(copy, stand_in);
            stand_in.impl()->set_storage(copy.storage());
            stand_in.impl()->set_geometry(copy.sizes(), copy.strides(), 0);
            stand_in.impl()->detach_version(version);
        }
        copy_raw(self, result);
    }
    autograd::rebase_history(self, result, name);
}

} // namespace reel::detail
