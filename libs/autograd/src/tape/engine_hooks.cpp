// The engine's hook rounds: tensor hooks, retained gradients, and what hooks may return (rules T-3, T-12, T-22, T-24).
#include "tape/engine.hpp"

#include <reel/autograd/error.hpp>
#include <reel/autograd/observe.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "tape/accumulate_grad.hpp"
#include "tape/autograd_meta.hpp"
#include "tape/node_extras.hpp"

namespace reel::autograd {

namespace {
/// T-3: what a hook may return in place of a gradient. `who` names the hook when that is needed.
template <class Who> void check_replacement(const Tensor& before, const Tensor& after, Who who) {
    REEL_CHECK(before.defined(), who(), " returned a gradient where there is none to replace");
    REEL_CHECK(after.scalar_type() == before.scalar_type() && after.device().type() == before.device().type(), who(),
               " changed the type of the gradient from ", dtype_name(before.scalar_type()), " on ", before.device(),
               " to ", dtype_name(after.scalar_type()), " on ", after.device());
    REEL_CHECK(after.sizes().equals(before.sizes()), who(), " changed the size of the gradient from ", before.sizes(),
               " to ", after.sizes());
}
void run_table(const HookTable<TensorHookFn>& table, Tensor& g, const void* owner, std::uint32_t output_nr) {
    const auto hooks = table.snapshot();
    if (!hooks) return;
    std::size_t index = 0;
    for (const auto& record : *hooks) {
        impl::HookFiring firing({HookKind::Tensor, record.id, owner, output_nr}, [&] { return variable_list{g}; });
        const Tensor r = firing.skip() ? Tensor() : record.fn(g);
        firing.returned(r.defined(), [&] { return variable_list{r}; });
        if (r.defined()) {
            check_replacement(g, r, [&] { return str("tensor hook ", index); });
            g = r;
        }
        ++index;
    }
}
} // namespace

void check_node_hook(const char* kind, const Node& n, const variable_list& before, const variable_list& after) {
    REEL_CHECK(after.size() == before.size(), n.name(), ": ", kind, " returned ", after.size(), " gradients, expected ",
               before.size());
    for (std::size_t i = 0; i < after.size(); ++i)
        if (after[i].defined() && !after[i].is_same(before[i]))
            check_replacement(before[i], after[i], [&] { return str(n.name(), ": ", kind, ": result ", i); });
}

void GraphTask::run_tensor_hooks(Node* n, GradList& grads) {
    if (n->is_accumulator()) {
        const Tensor& leaf = static_cast<AccumulateGrad*>(n)->variable();
        AutogradMeta& meta = leaf.impl()->ensure_meta();
        const std::optional<ScalarType> wanted =
            meta.grad_dtype_set ? meta.grad_dtype : std::optional(leaf.scalar_type());
        if (grads[0].defined() && wanted && grads[0].scalar_type() != *wanted) grads[0] = grads[0].to(*wanted);
        if (meta.hooks) run_table(*meta.hooks, grads[0], leaf.impl().get(), 0);
    }
    NodeExtras* e = n->extras();
    if (!e) return;
    for (std::size_t i = 0; i < e->tensor_hooks.size(); ++i) {
        const auto table = e->tensor_hooks[i].table;
        const std::uint32_t output_nr = e->tensor_hooks[i].output_nr;
        run_table(*table, grads[output_nr], n, output_nr);
    }
    for (const auto& r : e->retained) { // T-12
        const Tensor& g = grads[r.output_nr];
        if (!g.defined()) continue;
        Tensor& grad = r.tensor->ensure_meta().grad;
        if (!grad.defined()) grad = reel::clone(g, MemoryFormat::Contiguous);
        else grad = grad + g;
    }
}

} // namespace reel::autograd
