// Rounds of hooks. What a hook changes in its own table counts from the next round on (C-22).
#include "tape/hook_rounds.hpp"

#include <reel/autograd/detail/enclosed_passes.hpp>
#include <reel/autograd/detail/notify_observers.hpp>
#include <reel/autograd/detail/self_reporting_hook.hpp>
#include <reel/autograd/ops/convert/copy.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "tape/accumulate_grad.hpp"
#include "tape/autograd_meta.hpp"
#include "tape/gradient_checks.hpp"

namespace reel::autograd {

namespace {

/// Calls `run_one(hook, id)` for each hook of the table, which may be gone by the first of them.
template <class Fn, class F> void round(const std::shared_ptr<HookTable<Fn>>& table, F run_one) {
    if (!table) return;
    if (const auto hooks = table->snapshot())
        for (const auto& record : *hooks) run_one(record.fn, record.id);
}

variable_list to_list(const GradList& g) { return variable_list(g.begin(), g.end()); }

void tensor_round(const std::shared_ptr<HookTable<TensorHookFn>>& table, Tensor& g, const void* owner,
                  std::uint32_t output_nr) {
    std::size_t index = 0;
    round(table, [&](const TensorHookFn& hook, std::uint64_t id) {
        const Tensor r = impl::fire(
            {HookKind::Tensor, id, owner, output_nr}, [&] { return variable_list{g}; }, [&] { return hook(g); });
        if (r.defined()) {
            check_replacement(g, r, [&] { return str("tensor hook ", index); });
            g = r;
        }
        ++index;
    });
}

void leaf_round(const Tensor& leaf, Tensor& g) {
    AutogradMeta& meta = leaf.impl()->ensure_meta();
    const std::optional<ScalarType> wanted = meta.grad_dtype_set ? meta.grad_dtype : std::optional(leaf.scalar_type());
    if (g.defined() && wanted && g.scalar_type() != *wanted) g = g.to(*wanted);
    if (!reel::detail::passes_are_enclosed) tensor_round(meta.hooks, g, leaf.impl().get(), 0);
}

/// T-12.
void retain(TensorImpl& t, const Tensor& g) {
    if (!g.defined()) return;
    Tensor& grad = t.ensure_meta().grad;
    if (!grad.defined()) grad = reel::clone(g, MemoryFormat::Contiguous);
    else grad = grad + g;
}

/// Takes what a node hook returned in place of `grads`, which it was shown as `before`.
void take(const char* kind, const Node& n, const variable_list& before, const std::optional<variable_list>& returned,
          GradList& grads) {
    if (!returned) return;
    check_replacements(kind, n, before, *returned);
    for (std::size_t i = 0; i < grads.size(); ++i) grads[i] = (*returned)[i];
}

} // namespace

void run_tensor_hooks(Node& n, GradList& grads) {
    if (n.is_accumulator()) leaf_round(static_cast<AccumulateGrad&>(n).variable(), grads[0]);
    NodeExtras* e = n.extras();
    if (!e || reel::detail::passes_are_enclosed) return;
    for (std::size_t i = 0; i < e->tensor_hooks.size(); ++i) { // a hook may add to the list
        const std::uint32_t output_nr = e->tensor_hooks[i].output_nr;
        tensor_round(e->tensor_hooks[i].table, grads[output_nr], &n, output_nr);
    }
    e->retained.each([&](std::uint32_t output_nr, TensorImpl& tensor) { retain(tensor, grads[output_nr]); });
}

void run_node_prehooks(Node& n, GradList& grads) {
    round(n.extras()->pre, [&](const NodePreHook& hook, std::uint64_t id) {
        const variable_list before = to_list(grads);
        const auto r = impl::fire(
            {HookKind::NodePre, id, &n}, [&] { return before; }, [&] { return hook(before); });
        take("node pre-hook", n, before, r, grads);
    });
}

void run_node_posthooks(Node& n, GradList& grad_inputs, const variable_list& grad_outputs) {
    round(n.extras()->post, [&](const NodePostHook& hook, std::uint64_t id) {
        const variable_list before = to_list(grad_inputs);
        const auto call = [&] { return hook(before, grad_outputs); };
        const auto r = impl::observed() && impl::reports_itself(hook)
                           ? call()
                           : impl::fire(
                                 {HookKind::NodePost, id, &n}, [&] { return before; }, call);
        take("node post-hook", n, before, r, grad_inputs);
    });
}

void run_post_accumulate_hooks(const Tensor& leaf) {
    const Tensor* t = &leaf; // what the next hook is given
    Tensor returned;
    round(leaf.impl()->meta()->post_accumulate, [&](const PostAccumulateFn& hook, std::uint64_t id) {
        Tensor r;
        impl::fire(
            {HookKind::PostAccumulate, id, leaf.impl().get()}, [&] { return variable_list{leaf.mutable_grad()}; },
            [&] { r = hook(*t); });
        if (!r.defined()) return;
        REEL_CHECK(r.scalar_type() == t->scalar_type() && r.sizes().equals(t->sizes()),
                   "post-accumulate-grad hook returned a ", dtype_name(r.scalar_type()), " tensor of shape ", r.sizes(),
                   " for a leaf of ", dtype_name(t->scalar_type()), " and shape ", t->sizes(),
                   "; it must return nothing"); // T-16: the hooks after it do not run
        returned = std::move(r);
        t = &returned;
    });
    REEL_CHECK(t->is_same(leaf),
               "post-accumulate-grad hook returned another tensor than the leaf; it must return nothing"); // T-16
}

} // namespace reel::autograd
