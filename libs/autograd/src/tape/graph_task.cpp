// A pass from its seeds to its end, and what may be asked of the pass that runs on this thread.
#include "tape/graph_task.hpp"

#include <algorithm>
#include <exception>
#include <thread>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/detail/enclosed_passes.hpp>
#include <reel/autograd/detail/running_pass.hpp>
#include <reel/autograd/error.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/hooks.hpp>

#include "tape/accumulate_grad.hpp"
#include "tape/autograd_meta.hpp"
#include "tape/hook_rounds.hpp"
#include "tape/modes.hpp"

namespace reel::autograd {

namespace {
thread_local GraphTask* running = nullptr;
thread_local int depth = 0;
constexpr int max_depth = 60; // deeper nesting continues on a fresh stack (E-72)

/// `task` is the one that runs on this thread.
struct RunningScope {
    GraphTask* previous;
    explicit RunningScope(GraphTask* task) : previous(std::exchange(running, task)) { ++depth; }
    ~RunningScope() {
        running = previous;
        --depth;
    }
};
} // namespace

GraphTask* GraphTask::current() { return running; }

GraphTask::~GraphTask() {
    nodes_.release(); // what runs now may destroy them
    for (const auto& fn : at_end_) fn();
}

void GraphTask::run(const EdgeList& roots, TensorList seeds, std::vector<Capture>& captures,
                    const std::vector<Node*>& executed, bool restricted) {
    if (depth >= max_depth) return run_on_a_fresh_stack(roots, seeds, captures, executed, restricted);
    const RunningScope scope(this);
    const AutoGradMode mode(create_graph_);
    restricted_ = restricted;
    if (reel::detail::passes_are_enclosed && !captures.empty()) {
        std::vector<Node*> ends;
        for (const Capture& c : captures) ends.push_back(c.function);
        nodes_.end_at(std::move(ends));
    }
    nodes_.discover(roots);
    if (restricted) restrict_to(roots, captures, executed);
    try {
        seed(roots, seeds);
        while (!ready_.empty()) {
            Node& n = *ready_.pop();
            const bool accumulates = n.is_accumulator();
            evaluate(n, accumulates);
            if (!accumulates) continue;
            after_accumulation_.ran(&n);
            if (streams_.any()) accumulated_.push_back(n.getptr());
        }
    } catch (...) { // some leaves have their gradient, and the caller may look at it
        join_streams();
        throw;
    }
    join_streams();
    run_callbacks();
}

void GraphTask::join_streams() {
    if (!streams_.any()) return;
    streams_.join();
    for (const NodePtr& n : accumulated_) streams_.give(static_cast<const AccumulateGrad&>(*n).variable().grad());
    if (captures_)
        for (const Capture& c : *captures_) streams_.give(c.result);
}

void GraphTask::run_on_a_fresh_stack(const EdgeList& roots, TensorList seeds, std::vector<Capture>& captures,
                                     const std::vector<Node*>& executed, bool restricted) {
    std::exception_ptr error;
    const auto modes = reel::detail::thread_modes;
    const TapeModes tape = tape_modes();
    const bool enclosed = reel::detail::passes_are_enclosed;
    std::thread deeper([&] {
        reel::detail::thread_modes = modes;
        tape_modes() = tape;
        reel::detail::passes_are_enclosed = enclosed;
        try {
            run(roots, seeds, captures, executed, restricted);
        } catch (...) {
            error = std::current_exception();
        }
    });
    deeper.join();
    if (error) std::rethrow_exception(error);
}

void GraphTask::restrict_to(const EdgeList& roots, std::vector<Capture>& captures, const std::vector<Node*>& executed) {
    captures_ = &captures;
    for (std::size_t i = 0; i < captures.size(); ++i)
        if (captures[i].function) // none: a view that lets gradients end (E-49)
            captures[i].next = nodes_.mark_captured(captures[i].function, std::uint32_t(i + 1));
    nodes_.restrict_to(roots, executed);
}

void GraphTask::seed(const EdgeList& roots, TensorList seeds) {
    for (std::size_t i = 0; i < roots.size(); ++i) {
        Node* n = roots[i].function.get();
        // A pass with one root starts at its node itself: its tensor hooks run even when nothing is asked of it.
        if (restricted_ && !wants(n) && roots.size() > 1) continue;
        arrive(nodes_.at(n), n, roots[i].input_nr, Tensor(seeds[i]));
    }
}

void GraphTask::run_callbacks() {
    for (std::size_t i = 0; i < callbacks_.size(); ++i) {
        const auto fn = std::move(callbacks_[i]); // callbacks may queue more
        fn();
    }
}

void GraphTask::after(const std::vector<NodePtr>& nodes, std::function<void()> fn) {
    std::vector<Node*> to_come;
    for (const NodePtr& n : nodes) {
        // Accumulators run as soon as they are ready: one that waits for nothing more has run.
        const PassState* s = nodes_.find(n.get());
        if (s && s->executes && s->dependencies > 0) to_come.push_back(n.get());
    }
    after_accumulation_.add(to_come, std::move(fn));
}

Node* get_current_node() { return running ? running->current_node() : nullptr; }

// Of Node, but it stands by `running`: rules ask it for each of their inputs.
bool Node::should_compute_output(std::size_t i) const {
    const Edge& e = edges_[i];
    if (!e.is_valid()) return false;
    GraphTask* task = GraphTask::current();
    return !task || task->current_node() != this || task->wants(e.function.get());
}

void after_accumulation(const variable_list& leaves, std::function<void()> fn) {
    REEL_CHECK(running, "after_accumulation: there is no backward pass running on this thread");
    std::vector<NodePtr> accumulators;
    for (const Tensor& leaf : leaves)
        if (leaf.defined() && leaf.impl()->meta())
            if (NodePtr n = impl::existing_accumulator(leaf)) accumulators.push_back(std::move(n));
    running->after(accumulators, std::move(fn));
}
bool impl::runs_in_this_pass(Node& node) { return running && running->will_execute(&node); }
bool impl::pass_is_restricted() noexcept { return running && running->restricted(); }
bool impl::accumulates_into(const Tensor& leaf) {
    if (!running || !leaf.impl()->meta()) return false;
    const NodePtr n = existing_accumulator(leaf);
    return n && running->will_execute(n.get());
}
std::size_t impl::hooks_after_accumulation(const Tensor& leaf) {
    const AutogradMeta* const meta = leaf.impl()->meta();
    if (!meta) return 0;
    const auto count = [](const auto& table) {
        const auto records = table ? table->snapshot() : nullptr;
        return records ? records->size() : 0;
    };
    const NodePtr n = existing_accumulator(leaf);
    return count(meta->post_accumulate) + (n && has_posthooks(*n) ? count(n->extras()->post) : 0);
}
void impl::at_end_of_pass(std::function<void()> fn) { running->at_end(std::move(fn)); }

std::int64_t current_graph_task_id() { return running ? std::int64_t(running->id()) : -1; }
void queue_callback(std::function<void()> fn) {
    REEL_CHECK(running, "queue_callback: there is no backward pass running on this thread");
    running->queue_callback(std::move(fn));
}

} // namespace reel::autograd
