// The step: what happens when all gradients of a node have arrived.
#include <algorithm>

#include <reel/autograd/detail/notify_observers.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "tape/anomaly.hpp"
#include "tape/gradient_checks.hpp"
#include "tape/graph_task.hpp"
#include "tape/hook_rounds.hpp"
#include "tape/streams.hpp"
#include "tensor/taken_calls.hpp"

namespace reel::autograd {

namespace {

/// `node` is the one being evaluated, whatever way it ends.
struct CurrentNode {
    Node*& slot;
    Node* previous;
    CurrentNode(Node*& current, Node& node) : slot(current), previous(std::exchange(current, &node)) {}
    ~CurrentNode() { slot = previous; }
};

/// Nearly always by one, which `resize` with its copies of a value makes dear.
void widen(GradList& list, std::size_t size) {
    while (list.size() < size) list.emplace_back();
}

/// The gradients that the rule of `n` makes of `grads`, checked; none without any, and then the rule does not run.
GradList apply(Node& n, GradList&& grads, bool accumulates) {
    if (impl::observed()) impl::note_node_runs(n, grads);
    const bool any = std::ranges::any_of(grads, &Tensor::defined) || n.materializes_undefined();
    const ops::NotTaken rule(ops::calls_are_taken() && dynamic_cast<const RuleNode*>(&n));
    GradList out = apply_explained(n, std::move(grads), !any);
    if (!any) out.resize(n.num_outputs());
    else if (!accumulates) validate_outputs(n, out);
    return out;
}

/// May `have` be added to in place? Nobody else can see it then (E-25).
bool is_ours(const Tensor& have, const Tensor& g) {
    return !GradMode::is_enabled() && !have.is_sparse() && have.is_uniquely_owned() &&
           have.storage()->use_count() == 1 && !have.is_view() && have.scalar_type() == g.scalar_type() &&
           have.is_non_overlapping_and_dense();
}

} // namespace

void GraphTask::evaluate(Node& n, bool accumulates) {
    PassState& s = nodes_.at(&n);
    const CurrentNode scope(current_, n);
    const OnStreamOf stream(n); // hooks, too
    GradList grads(std::move(s.buffer));
    if (n.extras() || accumulates) run_tensor_hooks(n, grads);
    if (s.captured()) capture(s, grads);
    if (!s.executes) return;
    if (has_prehooks(n)) run_node_prehooks(n, grads);
    variable_list grad_outputs;
    if (has_posthooks(n)) grad_outputs.assign(grads.begin(), grads.end());
    GradList out = apply(n, std::move(grads), accumulates);
    if (has_posthooks(n)) run_node_posthooks(n, out, grad_outputs); // also those registered while it ran (T-21)
    if (!keep_graph_) n.release_variables();
    if (nan_is_refused()) refuse_nan(n, out); // first: for observers, too, the pass ends here then
    if (impl::observed()) impl::note_node_ran(n, out);
    route(n, std::move(out));
}

void GraphTask::capture(const PassState& s, const GradList& grads) {
    for (std::uint32_t i = s.first_capture; i != 0; i = (*captures_)[i - 1].next)
        (*captures_)[i - 1].result = grads[(*captures_)[i - 1].input_nr];
}

void GraphTask::route(Node& n, GradList&& out) {
    for (std::size_t i = 0; i < out.size(); ++i) {
        const Edge& edge = n.next_edge(i);
        Node* next = edge.function.get();
        if (!next) continue;
        PassState* s = nodes_.find(next);
        if (!s || (restricted_ && !s->executes && !s->captured())) continue;
        arrive(*s, next, edge.input_nr, std::move(out[i]));
    }
}

void GraphTask::arrive(PassState& s, Node* n, std::uint32_t slot, Tensor&& g) {
    widen(s.buffer, n->num_inputs());
    if (g.defined()) {
        streams_.hand_over(g, *n);
        Tensor& have = s.buffer[slot];
        if (!have.defined()) have = std::move(g);
        else {
            const OnStreamOf stream(*n);
            const ops::NotTaken sum;
            if (is_ours(have, g)) have.add_(g);
            else have = have + g;
        }
    }
    if (--s.dependencies == 0) ready_.push(n);
}

} // namespace reel::autograd
