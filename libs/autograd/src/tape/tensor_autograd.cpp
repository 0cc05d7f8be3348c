// The autograd members of Tensor.
#include <reel/autograd/backward.hpp>
#include <reel/autograd/detail/notify_observers.hpp>
#include <reel/autograd/detail/pin.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/hooks.hpp>

#include "tape/autograd_meta.hpp"
#include "tape/graph_task.hpp"
#include "tape/node_extras.hpp"
#include "tape/views.hpp"
#include "tensor/raw.hpp"
#include "tensor/taken_calls.hpp"

namespace reel {

using namespace autograd;

namespace {
/// Small numbers are never a hook's, so that one which counts the hooks of a tensor, as in libtorch, is noticed.
constexpr std::uint64_t numbers_begin = 1000;
std::atomic<std::uint64_t> hook_ids{numbers_begin};
} // namespace
std::uint64_t next_hook_id() { return hook_ids.fetch_add(1, std::memory_order_relaxed) + 1; }

bool Tensor::requires_grad() const { return checked().requires_grad(); }
const Tensor& Tensor::set_requires_grad(bool b) const { return requires_grad_(b); }

Tensor& Tensor::requires_grad_(bool b) const {
    TensorImpl& impl = checked();
    REEL_CHECK(!b || isDifferentiableType(impl.dtype()),
               "requires_grad_: only floating and complex tensors can require grad, not ", dtype_name(impl.dtype()));
    REEL_CHECK(!(impl.is_inference && b && !InferenceMode::is_enabled()),
               "requires_grad_: an inference tensor cannot require grad outside of inference mode; clone() it first");
    // It does not bring the history up to date: it also works on a view that may not be used any more (E-46).
    const NodePtr& fn = impl.grad_fn_unchecked();
    const bool leaf = !fn;
    REEL_CHECK(leaf || b, "requires_grad_(false): only leaves can stop requiring grad; this tensor was made by ",
               fn->name(), ". Use detach() to get a tensor without history");
    if (leaf && b != impl.requires_grad_flag() && autograd::impl::passes_over(*this, "requires_grad_"))
        return const_cast<Tensor&>(*this);
    if (leaf) {
        if (b) impl.ensure_meta(); // here, not on first use: threads may record with one leaf at the same time
        impl.set_requires_grad_flag(b);
    }
    return const_cast<Tensor&>(*this);
}

namespace {
const Tensor undefined_tensor;
}
const Tensor& Tensor::grad() const {
    TensorImpl& impl = checked();
    if (impl.grad_fn_unchecked() && !impl.retains_grad && !(impl.meta() && impl.meta()->grad.defined()))
        REEL_WARN("the .grad of a tensor that is not a leaf is being read; it is not filled in during backward. "
                  "Call retain_grad() on it, or look at a leaf instead");
    return impl.meta() ? impl.meta()->grad : undefined_tensor;
}
Tensor& Tensor::mutable_grad() const { return checked().ensure_meta().grad; }
void Tensor::set_grad(const Tensor& g) const {
    TensorImpl& impl = checked();
    if (g.defined()) {
        REEL_CHECK(!g.is_same(*this), "set_grad: a tensor cannot be its own gradient");
        const AutogradMeta* meta = impl.meta();
        const std::optional<ScalarType> wanted =
            meta && meta->grad_dtype_set ? meta->grad_dtype : std::optional(impl.dtype());
        REEL_CHECK(!wanted || g.scalar_type() == *wanted, "set_grad: the gradient is ", dtype_name(g.scalar_type()),
                   "; expected ", dtype_name(wanted.value_or(impl.dtype())));
        REEL_CHECK(g.device().type() == device().type(), "set_grad: the gradient is on ", g.device(), "; expected ",
                   device());
        REEL_CHECK(g.sizes().equals(sizes()), "set_grad: the gradient has shape ", g.sizes(), "; expected ", sizes());
    }
    if (!g.defined() && autograd::impl::observed()) autograd::impl::note_grad_cleared(*this, "set_grad", true);
    impl.ensure_meta().grad = g;
}

void Tensor::backward(const Tensor& gradient, std::optional<bool> retain_graph, bool create_graph,
                      std::optional<TensorList> inputs) const {
    if (!inputs) return autograd::backward_from(*this, gradient, retain_graph.value_or(create_graph), create_graph);
    REEL_CHECK(!inputs->empty(), "backward: inputs is empty; leave it out to accumulate into all leaves");
    autograd::backward({*this}, {gradient}, retain_graph, create_graph, variable_list(inputs->begin(), inputs->end()));
}
void Tensor::backward_with(const autograd::TensorBackwardOptions& options) const {
    std::optional<TensorList> inputs;
    if (options.inputs) inputs = TensorList(*options.inputs);
    backward(options.gradient, options.retain_graph, options.create_graph, inputs);
}

autograd::NodePtr Tensor::grad_fn() const {
    TensorImpl& impl = checked();
    if (impl.is_view()) refresh_view(*this, true);
    return impl.grad_fn_unchecked();
}
bool Tensor::is_leaf() const {
    if (InferenceMode::is_enabled()) return !checked().grad_fn_unchecked(); // nothing is recorded, so nothing is stale
    return !grad_fn();
}

void Tensor::retain_grad() const {
    TensorImpl& impl = checked();
    REEL_CHECK(requires_grad(), "retain_grad: this tensor does not require grad");
    if (!impl.grad_fn_unchecked() || impl.retains_grad) return; // E-46: without looking further, as requires_grad_
    const NodePtr fn = grad_fn();
    fn->ensure_extras().retained.insert(impl.output_nr(), &impl);
    impl.retains_grad = true;
}

std::int64_t Tensor::_version() const {
    REEL_CHECK(counts_version(checked()), "_version: inference tensors do not track a version");
    return checked().version();
}
Tensor Tensor::_base() const {
    REEL_CHECK(checked().is_view(), "_base: this tensor is not a view");
    return Tensor(impl_->view_base());
}

Tensor Tensor::detach() const {
    if (ops::calls_are_taken()) [[unlikely]]
        return ops::take_detach(*this);
    if (autograd::impl::observed())
        autograd::impl::note_cut_by(__builtin_return_address(0), CutKind::Detach, "detach", *this);
    Tensor t = detail::alias_raw(*this);
    t.impl()->is_inference = impl_->is_inference;
    return t;
}
Tensor& Tensor::detach_() const {
    TensorImpl& impl = checked();
    REEL_CHECK(!impl.is_view(), "detach_: a view cannot be detached in place; use detach()");
    if (autograd::impl::observed())
        autograd::impl::note_cut_by(__builtin_return_address(0), CutKind::Detach, "detach_", *this);
    if (impl.retains_grad) {
        forget_retained(impl);
        impl.retains_grad = false;
    }
    impl.set_history(nullptr, 0);
    impl.set_requires_grad_flag(false);
    return const_cast<Tensor&>(*this);
}
Tensor Tensor::data() const {
    if (autograd::impl::observed())
        autograd::impl::note_cut_by(__builtin_return_address(0), CutKind::Data, "data", *this);
    Tensor t = detail::alias_raw(*this);
    t.impl()->detach_version(0);
    return t;
}
void Tensor::set_data(const Tensor& t) const {
    TensorImpl& impl = checked();
    TensorImpl& from = t.checked();
    REEL_CHECK(!impl.requires_grad() || isDifferentiableType(from.dtype()),
               "set_data: a tensor that requires grad cannot hold ", dtype_name(from.dtype()),
               " data; expected a floating or complex dtype");
    REEL_CHECK(impl.device().is_meta() == from.device().is_meta(), "set_data: cannot swap ", impl.device(),
               " data for ", from.device(), " data; make a new tensor instead");
    autograd::impl::before_write(*this, "set_data");
    const bool other_type = impl.dtype() != from.dtype() || !(impl.device() == from.device());
    impl.replace_data(from);
    // E-51: with the data of an inference tensor it cannot be saved for backward either.
    if (from.is_inference && !impl.is_inference) impl.ensure_meta().keeps_version = true;
    impl.is_inference = from.is_inference;
    if (other_type && impl.meta()) {
        std::lock_guard lock(impl.meta()->mutex);
        impl.meta()->accumulator.reset(); // E-9
    }
}

std::optional<ScalarType> Tensor::grad_dtype() const {
    const AutogradMeta* meta = checked().meta();
    return meta && meta->grad_dtype_set ? meta->grad_dtype : std::optional(scalar_type());
}
void Tensor::set_grad_dtype(std::optional<ScalarType> t) const {
    REEL_CHECK(is_leaf(), "set_grad_dtype: only leaves have a gradient dtype of their own");
    AutogradMeta& meta = checked().ensure_meta();
    REEL_CHECK(!meta.grad.defined() || !t || meta.grad.scalar_type() == *t, "set_grad_dtype: a gradient of ",
               meta.grad.defined() ? dtype_name(meta.grad.scalar_type()) : "", " is present; clear it first");
    meta.grad_dtype_set = true;
    meta.grad_dtype = t;
}

RemovableHandle Tensor::register_hook_impl(std::function<Tensor(const Tensor&)> fn) const {
    REEL_CHECK(requires_grad(), "register_hook: this tensor does not require grad, so no gradient will ever reach it");
    if (const NodePtr node = grad_fn()) return node->add_tensor_hook(impl_->output_nr(), std::move(fn));
    const RemovableHandle handle = add_hook(checked().ensure_meta().hooks, TensorHookFn(std::move(fn)));
    if (autograd::impl::observed()) autograd::impl::note_hook_registered({HookKind::Tensor, handle.id(), impl_.get()});
    return handle;
}

void Tensor::remove_hook(unsigned handle) const {
    REEL_CHECK_INDEX(handle > numbers_begin && handle <= hook_ids.load(std::memory_order_relaxed),
                     "remove_hook: Invalid index ", handle,
                     ": no hook has had this number; pass what register_hook returned");
    if (const NodePtr node = grad_fn()) {
        if (NodeExtras* extras = node->extras())
            if (const auto* hooks = extras->hooks_of(impl_->output_nr()))
                RemovableHandle(handle, hooks->table).remove();
    } else if (const AutogradMeta* meta = checked().meta(); meta && meta->hooks) {
        RemovableHandle(handle, meta->hooks).remove();
    }
}
std::string Tensor::name() const {
    const AutogradMeta* meta = checked().meta();
    return meta && meta->name ? *meta->name : std::string();
}
namespace autograd::impl {
void set_name(const Tensor& tensor, const std::string& name) {
    tensor.checked().ensure_meta().name = std::make_unique<std::string>(name);
}
} // namespace autograd::impl

namespace autograd {
RemovableHandle register_post_accumulate_grad_hook_returning(const Tensor& leaf,
                                                             std::function<Tensor(const Tensor&)> fn) {
    REEL_CHECK(leaf.requires_grad(), "register_post_accumulate_grad_hook: this tensor does not require grad");
    REEL_CHECK(
        leaf.is_leaf(),
        "register_post_accumulate_grad_hook: only leaves accumulate a gradient; this tensor is a non-leaf made by ",
        leaf.grad_fn()->name());
    const RemovableHandle handle =
        add_hook(leaf.checked().ensure_meta().post_accumulate, PostAccumulateFn(std::move(fn)));
    if (impl::observed()) impl::note_hook_registered({HookKind::PostAccumulate, handle.id(), leaf.impl().get()});
    return handle;
}
} // namespace autograd

RemovableHandle Tensor::register_post_accumulate_grad_hook(std::function<void(const Tensor&)> fn) const {
    return register_post_accumulate_grad_hook_returning(*this, [fn = std::move(fn)](const Tensor& t) -> Tensor {
        fn(t);
        return {};
    });
}

} // namespace reel
