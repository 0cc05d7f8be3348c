// In-place checks and the moving of histories.
#include "tape/inplace.hpp"

#include <reel/autograd/detail/notify_observers.hpp>
#include <reel/autograd/detail/pin.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops/convert/copy.hpp>
#include <reel/autograd/ops/factory/zeros_like.hpp>
#include <reel/autograd/ops/shape/strided.hpp>
#include <reel/autograd/record.hpp>

#include "tape/allow_mutation.hpp"
#include "tape/autograd_meta.hpp"
#include "tape/modes.hpp"
#include "tape/node_extras.hpp"
#include "tape/views.hpp"
#include "tensor/raw.hpp"
#include "tensor/strided_geometry.hpp"

namespace reel::autograd {

using shape::Geometry;

namespace {

bool has_hooks(const Node& n) {
    const NodeExtras* e = n.extras();
    return e && (!e->tensor_hooks.empty() || e->pre || e->post);
}
void check_history(const Tensor& self, const char* op);

} // namespace

void refuse_inference(const Tensor& self, const char* op) {
    REEL_CHECK(
        counts_version(self.checked()) || InferenceMode::is_enabled(), op,
        ": in-place modification of an inference tensor outside of inference mode is not allowed; clone() it to get "
        "a normal tensor");
}

void check_inplace(const Tensor& self, const char* op) {
    TensorImpl& impl = self.checked();
    // Expanded memory is one element behind many places: a write would be ambiguous.
    for (std::int64_t d = 0; d < impl.dim() && impl.layout() == Layout::Strided; ++d)
        REEL_CHECK(impl.strides()[d] != 0 || impl.sizes()[d] <= 1 || impl.numel() == 0, op,
                   ": input: several elements of the expanded tensor ", impl.sizes(), " (strides ", impl.strides(),
                   ") share one memory location; clone() it before writing");
    if (GradMode::is_enabled() && impl.requires_grad()) check_history(self, op);
    impl::before_write(self, op);
    if (!reel::detail::thread_modes.observers) return;
    impl::note_written(self, op);
    if (KeptForMutation* kept = tape_modes().mutation) move_saved_away(*kept, self);
}

void check_recorded_write(const Tensor& self, const char* op) {
    const TensorImpl& impl = *self.impl();
    if (impl.is_view() && impl.creation_meta() != CreationMeta::DEFAULT)
        refuse_view(self, "is being modified in place", op);
}

namespace {
/// Is it what a module under backward hooks got for (or returned as) a leaf?
bool aliases_leaf(const TensorImpl& impl) {
    const Node* fn = impl.grad_fn_unchecked().get();
    std::uint32_t slot = impl.output_nr();
    while (fn->is_alias()) {
        const Edge& e = fn->next_edge(slot);
        if (!e.is_valid()) return false;
        fn = e.function.get();
        slot = e.input_nr;
        if (fn->is_accumulator()) return true;
    }
    return false;
}
/// E-42, E-47: what the tape forbids.
void check_history(const Tensor& self, const char* op) {
    TensorImpl& impl = *self.impl();
    if (impl.is_view()) {
        check_recorded_write(self, op);
        const Tensor base = base_of(self);
        if (base.impl()->requires_grad_flag() && !base.impl()->grad_fn_unchecked())
            REEL_THROW(Error, op,
                       ": a view of a leaf that requires grad is being used in an in-place operation; "
                       "use no_grad for updates of parameters, or clone() first");
        refresh_view(self);
        // The op reads the view through a node made again, so hooks on the old one are lost (T-9).
        if (const NodePtr& fn = impl.grad_fn_unchecked(); fn && has_hooks(*fn)) {
            regenerate_view(self);
        }
        return;
    }
    if (!impl.grad_fn_unchecked() || aliases_leaf(impl))
        REEL_THROW(Error, op,
                   ": a leaf that requires grad is being used in an in-place operation; "
                   "use no_grad for updates of parameters, or clone() first");
}
} // namespace

namespace {
/// What `op` wrote into `self` without looking at it, on the tape: the old value's gradient is zero, not absent.
Tensor constant_after(const Tensor& self, const char* op) {
    const Tensor old = reel::detail::alias_raw(self), written = reel::detail::alias_raw(self);
    const Edge edge = gradient_edge(self);
    old.impl()->set_history(edge.function, edge.input_nr);
    record(op, {old}, written, {}, [](RuleContext& c) -> GradList { return {reel::zeros_like(c.grad())}; });
    return written;
}
} // namespace

void rebase_history(const Tensor& self, const Tensor& result, const char* op) {
    // As in the reference, it is the version counter that an inference tensor lacks: the data is written by now (E-51).
    refuse_inference(self, op);
    TensorImpl& impl = self.checked();
    const bool differentiable = GradMode::is_enabled() && isDifferentiableType(impl.dtype());
    Tensor r = differentiable && result.defined() && result.requires_grad() ? result : Tensor();
    if (differentiable && !r.defined() && impl.requires_grad()) r = constant_after(self, op);
    impl.bump_version();
    if (!r.defined()) {
        if (!impl.is_view()) impl.set_view_version(impl.version());
        return;
    }
    if (r.scalar_type() != impl.dtype()) r = r.to(impl.dtype());
    const Edge edge = gradient_edge(r);
    if (!impl.is_view()) {
        impl.set_requires_grad_flag(false);
        self.impl()->set_history(edge.function, edge.input_nr);
        return;
    }
    // The base gets a node that routes the gradient of the viewed part through the op (E-44).
    const Tensor base = base_of(self);
    Tensor next = reel::detail::alias_raw(base);
    Tensor old = reel::detail::alias_raw(base);
    const Edge base_edge = base.impl()->requires_grad() ? gradient_edge(base) : Edge();
    if (base_edge.is_valid()) old.impl()->set_history(base_edge.function, base_edge.input_nr);
    Geometry whole = Geometry::of(base), part = Geometry::of(self);
    const bool reals_of_complex = base.is_complex() && !isComplexType(impl.dtype());
    const bool complex_of_reals = !base.is_complex() && isComplexType(impl.dtype());
    if (reals_of_complex) whole = whole.halved();
    if (complex_of_reals) part = part.halved();
    record("copy_slices", {old, r}, next, {}, [=](RuleContext& c) -> GradList {
        const Tensor g = reals_of_complex ? reel::view_as_real(reel::contiguous(c.grad())) : c.grad();
        GradList out{Tensor(), Tensor()};
        if (c.needs(0)) {
            out[0] = shape::strided_rest(g, whole, part);
            if (reals_of_complex) out[0] = reel::view_as_complex(reel::contiguous(out[0]));
        }
        if (c.needs(1)) {
            out[1] = reel::clone(shape::strided_part(g, whole, part), MemoryFormat::Contiguous);
            if (complex_of_reals) out[1] = reel::view_as_complex(out[1]);
        }
        return out;
    });
    base.impl()->set_requires_grad_flag(false);
    base.impl()->set_history(next.impl()->grad_fn_unchecked(), next.impl()->output_nr());
    regenerate_view(self);
}

} // namespace reel::autograd
