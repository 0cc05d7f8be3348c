// Accumulation into leaves.
#include "tape/accumulate_grad.hpp"
#include "tensor/taken_calls.hpp"

#include <reel/autograd/detail/launch_observer.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/hooks.hpp>
#include <reel/autograd/ops/convert/copy.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "tape/autograd_meta.hpp"
#include "tape/hook_rounds.hpp"
#include "tape/modes.hpp"
#include "tensor/raw.hpp"
#include "tensor/sparse_parts.hpp"

namespace reel::autograd {

AccumulateGrad::AccumulateGrad(Tensor leaf) : Node(Found::kWeakly), leaf_(std::move(leaf)) {
    add_input_metadata(leaf_);
}
AccumulateGrad::~AccumulateGrad() { leaf_.impl()->ensure_meta().accumulator.take_out(*this); }

namespace impl {
NodePtr grad_accumulator(const Tensor& leaf) {
    WeakAccumulator& accumulator = leaf.impl()->ensure_meta().accumulator;
    if (NodePtr known = accumulator.get()) return known;
    NodePtr fresh(new AccumulateGrad(leaf));
    const Node* const made = fresh.get();
    NodePtr node = accumulator.get_or_put(std::move(fresh));
    if (node.get() == made) announce_node(*node); // T-36: accumulators are reported when created
    return node;
}
NodePtr existing_accumulator(const Tensor& leaf) { return leaf.impl()->meta()->accumulator.get(); }
} // namespace impl

namespace {
/// Does a stored gradient take the leaf's layout (E-28)? Not one of another shape than the leaf has by now (E-9).
bool leaf_sets_layout(const Tensor& g, const Tensor& leaf) {
    return leaf.is_non_overlapping_and_dense() && leaf.sizes().equals(g.sizes());
}
/// Can nobody else see its elements?
bool is_ours(const Tensor& g) {
    if (!g.is_uniquely_owned() || g.storage()->use_count() != 1 || g.is_view()) return false;
    if (!g.is_sparse()) return true;
    const Tensor& values = reel::detail::sparse_parts("backward", g).values;
    return values.is_uniquely_owned() && values.storage()->use_count() == 1;
}
/// The layout that a stored gradient must have: the leaf's when that is dense, else row-major (E-28).
bool layout_fits(const Tensor& g, const Tensor& leaf) {
    if (tape_modes().relaxed_layout && g.is_non_overlapping_and_dense()) return true; // E-79
    if (leaf_sets_layout(g, leaf)) return g.strides().equals(leaf.strides());
    return g.is_contiguous();
}
} // namespace

void AccumulateGrad::accumulate(Tensor g) {
    const ops::NotTaken own;
    AutogradMeta& meta = leaf_.impl()->ensure_meta();
    Tensor& grad = meta.grad;
    if (!grad.defined()) {
        if (GradMode::is_enabled()) {
            grad = reel::clone(g); // E-29: keeps its history
        } else if (is_ours(g) && (g.is_sparse() || layout_fits(g, leaf_))) {
            grad = g.requires_grad() ? g.detach() : std::move(g); // stolen: nobody else can see it
        } else if (g.is_sparse()) {
            grad = reel::clone(g.detach());
        } else {
            Tensor copy = leaf_sets_layout(g, leaf_)
                              ? reel::detail::empty_strided_raw(g.sizes(), leaf_.strides(), g.scalar_type(), g.device())
                              : reel::detail::empty_raw(g.sizes(), g.scalar_type(), g.device());
            reel::detail::copy_raw(copy, g);
            grad = std::move(copy);
        }
    } else if (GradMode::is_enabled()) {
        grad = grad + g; // E-31: a new object
    } else if (grad.is_sparse() && !g.is_sparse()) {
        grad = g.detach() + grad; // dense from now on
    } else {
        grad.add_(g.requires_grad() ? g.detach() : g); // E-30
    }
}

GradList AccumulateGrad::apply(GradList&& grads) {
    AutogradMeta& meta = leaf_.impl()->ensure_meta();
    REEL_CHECK(
        !leaf_.impl()->grad_fn_unchecked(),
        "backward: a leaf that requires grad was moved into the graph by an in-place operation after it was used");
    {
        std::lock_guard lock(meta.mutex);
        if (leaf_.requires_grad() && grads[0].defined()) accumulate(std::move(grads[0]));
        grads.clear();
    }
    if (meta.left_place.load(std::memory_order_relaxed)) [[unlikely]]
        impl::note_gradient_of_left(leaf_);
    if (meta.post_accumulate) run_post_accumulate_hooks(leaf_);
    return {};
}

} // namespace reel::autograd

namespace reel::detail {
Tensor leaf_of(const autograd::Node& node) {
    const auto* accumulator = dynamic_cast<const autograd::AccumulateGrad*>(&node);
    return accumulator ? accumulator->variable() : Tensor();
}
} // namespace reel::detail
