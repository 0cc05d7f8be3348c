// Making the histories of views again from their bases.
#include "tape/views.hpp"

#include <reel/autograd/error.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/node.hpp>
#include <reel/autograd/ops/shape/strided.hpp>

#include "tape/autograd_meta.hpp"
#include "tensor/strided_geometry.hpp"

namespace reel::autograd {

using shape::Geometry;

namespace {

const char* creation_reason(CreationMeta c) {
    switch (c) {
    case CreationMeta::NO_GRAD_MODE:
        return "the view was created under no_grad, so it has no connection to its base on the tape";
    case CreationMeta::INFERENCE_MODE:
        return "the view was created in inference mode";
    case CreationMeta::MULTI_OUTPUT_NODE:
        return "it is the output of a function that returns several views, and those forbid in-place modification of "
               "one of them";
    case CreationMeta::IN_CUSTOM_FUNCTION:
        return "the view was created inside a custom Function (or is a module input or output under backward hooks)";
    default:
        return "";
    }
}
/// The view of `base` at that place; complex numbers and pairs of reals may show each other.
Tensor view_again(const Tensor& base, const Geometry& g, ScalarType dtype) {
    if (dtype == base.scalar_type()) return reel::as_strided(base, g.sizes, g.strides, g.offset);
    if (base.is_complex()) return reel::as_strided(reel::view_as_real(base), g.sizes, g.strides, g.offset);
    const Geometry pairs = g.halved();
    return reel::view_as_complex(reel::as_strided(base, pairs.sizes, pairs.strides, pairs.offset));
}

} // namespace

void refuse_view(const Tensor& v, const char* what, const char* op) {
    const NodePtr fn = v.impl()->grad_fn_unchecked();
    REEL_THROW(Error, op, ": ",
               fn ? str("output ", v.impl()->output_nr(), " of ", fn->name()) : std::string("this tensor"),
               " is a view and ", what, ": ", creation_reason(v.impl()->creation_meta()),
               ". Use an out-of-place operation, or clone() the view before modifying it");
}

void refresh_view(const Tensor& view, bool asked) {
    TensorImpl& impl = *view.impl();
    if (impl.view_version() == impl.version()) return;
    const Tensor base = base_of(view);
    if (!base.impl()->requires_grad()) return;
    if (impl.creation_meta() != CreationMeta::DEFAULT) {
        if (asked || GradMode::is_enabled())
            refuse_view(view, "its base or another view of its base was modified in place", "autograd");
        return;
    }
    if (InferenceMode::is_enabled()) return; // nothing can be recorded here
    EnableGradGuard guard;
    const Tensor fresh = view_again(base, Geometry::of(view), impl.dtype());
    view.impl()->set_history(fresh.impl()->grad_fn_unchecked(), fresh.impl()->output_nr());
}

void regenerate_view(const Tensor& view) {
    TensorImpl& impl = *view.impl();
    impl.set_view_version(impl.version() - 1); // as if its base had been modified
    refresh_view(view);
}

} // namespace reel::autograd
