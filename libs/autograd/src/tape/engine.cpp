// The engine's loop.
#include "tape/engine.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <thread>

#include <reel/autograd/error.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/hooks.hpp>
#include <reel/autograd/observe.hpp>
#include <reel/autograd/self_reporting_hook.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "tape/accumulate_grad.hpp"
#include "tape/anomaly.hpp"
#include "tape/autograd_meta.hpp"
#include "tape/modes.hpp"
#include "tape/node_extras.hpp"
#include "tensor/raw.hpp"

namespace reel::autograd {

namespace {
std::atomic<std::uint64_t> next_pass{1};
thread_local GraphTask* running = nullptr;
thread_local int depth = 0;
constexpr int max_depth = 60; // deeper nesting continues on a fresh stack (E-72)
} // namespace

GraphTask* GraphTask::current() { return running; }
Node* get_current_node() { return running ? running->current_node() : nullptr; }

GraphTask::GraphTask(bool keep_graph, bool create_graph)
    : id_(next_pass.fetch_add(1)), keep_graph_(keep_graph), create_graph_(create_graph) {}

GraphTask::~GraphTask() {
    for (Node* n : claimed_) {
        n->state_.buffer.clear();
        n->pass_.store(0, std::memory_order_release);
    }
    for (const auto& fn : at_end_) fn();
}

PassState& GraphTask::claim(Node* n, bool& fresh) {
    std::uint64_t owner = n->pass_.load(std::memory_order_acquire);
    if (owner == id_) {
        fresh = false;
        return n->state_;
    }
    if (owner == 0 && n->pass_.compare_exchange_strong(owner, id_, std::memory_order_acq_rel)) {
        fresh = true;
        n->state_.dependencies = 0;
        n->state_.executes = true;
        n->state_.captured = false;
        claimed_.push_back(n);
        return n->state_;
    }
    const auto [it, inserted] = side_.try_emplace(n);
    fresh = inserted;
    return it->second;
}

PassState* GraphTask::find_state(Node* n) {
    if (n->pass_.load(std::memory_order_relaxed) == id_) [[likely]]
        return &n->state_;
    if (side_.empty()) return nullptr;
    const auto it = side_.find(n);
    return it == side_.end() ? nullptr : &it->second;
}
PassState& GraphTask::state(Node* n) { return *find_state(n); }
bool GraphTask::will_execute(Node* n) {
    const PassState* s = find_state(n);
    return s && s->executes;
}
bool GraphTask::wants(Node* n) {
    const PassState* s = find_state(n);
    return s && (s->executes || s->captured);
}

void GraphTask::discover(const EdgeList& roots) {
    std::vector<Node*> stack;
    bool fresh = false;
    for (const Edge& e : roots) {
        claim(e.function.get(), fresh);
        if (fresh) stack.push_back(e.function.get());
    }
    while (!stack.empty()) {
        Node* n = stack.back();
        stack.pop_back();
        for (const Edge& e : n->edges_) {
            Node* next = e.function.get();
            if (!next) continue;
            PassState& s = claim(next, fresh);
            ++s.dependencies;
            if (fresh) stack.push_back(next);
        }
    }
}

/// Post-order over the reachable nodes: a node executes when it is asked for or a successor is wanted (E-22).
void GraphTask::mark_wanted(const EdgeList& roots, const std::vector<Capture>& captures,
                            const std::vector<Node*>& executed) {
    for (Node* n : claimed_) n->state_.executes = false;
    for (auto& [n, s] : side_) s.executes = false;
    for (const Capture& c : captures)
        if (PassState* s = find_state(c.function)) s->captured = true;
    for (Node* n : executed)
        if (PassState* s = find_state(n)) s->executes = true;
    struct Frame {
        Node* node;
        std::size_t next;
    };
    std::unordered_map<Node*, bool> seen;
    std::vector<Frame> stack;
    for (const Edge& root : roots) {
        if (!seen.emplace(root.function.get(), true).second) continue;
        stack.push_back({root.function.get(), 0});
        while (!stack.empty()) {
            Frame& f = stack.back();
            Node* n = f.node;
            if (f.next < n->edges_.size()) {
                Node* child = n->edges_[f.next++].function.get();
                if (child && seen.emplace(child, true).second) stack.push_back({child, 0});
                continue;
            }
            PassState& s = state(n);
            for (const Edge& e : n->edges_)
                if (e.function && wants(e.function.get())) s.executes = true;
            stack.pop_back();
        }
    }
}

void GraphTask::add_gradient(PassState& s, const Node* n, std::uint32_t slot, Tensor&& g) {
    if (s.buffer.size() < n->num_inputs()) s.buffer.resize(n->num_inputs());
    if (!g.defined()) return;
    Tensor& have = s.buffer[slot];
    if (!have.defined()) {
        have = std::move(g);
    } else if (!GradMode::is_enabled() && have.is_uniquely_owned() && have.storage()->use_count() == 1 &&
               !have.is_view() && have.scalar_type() == g.scalar_type() && have.is_non_overlapping_and_dense()) {
        have.add_(g); // nobody else can see it (E-25)
    } else {
        have = have + g;
    }
}

void GraphTask::push_ready(Node* n) {
    const std::uint64_t key = n->is_accumulator() ? std::numeric_limits<std::uint64_t>::max() : n->sequence_nr();
    ready_.emplace_back(key, n);
    std::push_heap(ready_.begin(), ready_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
}

Tensor validated_gradient(Tensor g, const InputMetadata& expected, const std::function<std::string()>& who) {
    if (!g.defined() || expected.dtype == ScalarType::Undefined) return g;
    if (!g.sizes().equals(expected.sizes)) {
        const std::size_t extra = g.sizes().size() - expected.sizes.size();
        bool ok = g.sizes().size() >= expected.sizes.size();
        for (std::size_t i = 0; ok && i < expected.sizes.size(); ++i)
            ok = expected.sizes[i] == g.sizes()[i + extra] || expected.sizes[i] == 1;
        REEL_CHECK(ok, who(), " is a gradient of shape ", g.sizes(), "; expected ", IntArrayRef(expected.sizes),
                   " or a shape that broadcasts from it");
        g = reel::sum_to_size(g, expected.sizes);
    }
    if (g.scalar_type() != expected.dtype) {
        REEL_CHECK(isComplexType(expected.dtype) || !g.is_complex(), who(), " is a ", dtype_name(g.scalar_type()),
                   " gradient for a real tensor of ", dtype_name(expected.dtype), "; take its real part");
        g = g.to(expected.dtype);
    }
    if (g.device().type() != expected.device.type()) {
        REEL_CHECK(g.dim() == 0, who(), " is a gradient on ", g.device(), "; expected it on ", expected.device);
        g = g.to(TensorOptions(expected.device));
    }
    return g;
}

void GraphTask::validate(Node* n, GradList& out) {
    REEL_CHECK(out.size() == n->edges_.size(), n->name(), " returned ", out.size(), " gradients; expected ",
               n->edges_.size(), ", one per input of the forward operation");
    for (std::size_t i = 0; i < out.size(); ++i) {
        const Edge& e = n->edges_[i];
        if (!out[i].defined()) continue;
        if (!e.is_valid()) {
            // Hooks on identity nodes see a gradient for every tensor (B-13); other nodes show none here (T-20).
            if (!n->materializes_undefined()) out[i].reset();
            continue;
        }
        const InputMetadata& m = e.function->input_metadata(e.input_nr);
        if (out[i].sizes().equals(m.sizes) && out[i].scalar_type() == m.dtype &&
            out[i].device().type() == m.device.type()) [[likely]]
            continue;
        out[i] = validated_gradient(std::move(out[i]), m, [&] { return str(n->name(), ": result ", i); });
    }
}

void GraphTask::check_nan(Node* n, const GradList& out) {
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (!out[i].defined() || out[i].is_meta() || !isDifferentiableType(out[i].scalar_type())) continue;
        NoGradGuard guard;
        if (!reel::any(reel::isnan(out[i])).item().toBool()) continue;
        Error error(str(n->name(), " returned NaN in its result ", i));
        explain_failure(*n, [&](const std::string& line) { error.add_context(line); });
        throw error;
    }
}

namespace {
variable_list to_list(const GradList& g) { return variable_list(g.begin(), g.end()); }
} // namespace

void GraphTask::evaluate(Node* n, std::vector<Capture>& captures) {
    PassState& s = state(n);
    GradList grads(std::move(s.buffer));
    const bool executes = s.executes, captured = s.captured;
    if (grads.size() < n->num_inputs()) grads.resize(n->num_inputs());
    struct Current {
        Node*& slot;
        Node* previous;
        ~Current() { slot = previous; }
    } current{current_, std::exchange(current_, n)};

    NodeExtras* e = n->extras();
    if (e || n->is_accumulator()) run_tensor_hooks(n, grads);
    if (captured)
        for (Capture& c : captures)
            if (c.function == n) c.result = grads[c.input_nr];
    if (!executes) return;
    if (e && e->pre)
        if (const auto hooks = e->pre->snapshot())
            for (const auto& record : *hooks) {
                const variable_list before = to_list(grads);
                impl::HookFiring firing({HookKind::NodePre, record.id, n}, [&] { return before; });
                auto r = firing.skip() ? std::nullopt : record.fn(before);
                firing.returned(bool(r), [&] { return r ? *r : variable_list(); });
                if (r) {
                    check_node_hook("node pre-hook", *n, before, *r);
                    for (std::size_t i = 0; i < grads.size(); ++i) grads[i] = (*r)[i];
                }
            }
    const bool posthooks = e && e->post;
    variable_list grad_outputs;
    if (posthooks) grad_outputs = to_list(grads);

    if (impl::observed()) impl::note_node_runs(*n, grads);
    bool any = n->materializes_undefined();
    for (const Tensor& g : grads) any = any || g.defined();
    GradList out = apply_explained(*n, std::move(grads), !any);
    if (!any) out.resize(n->edges_.size());
    else if (!n->is_accumulator()) validate(n, out);
    if (e == nullptr) e = n->extras(); // a hook may have been registered while the node ran (T-21)
    if (e && e->post)
        if (const auto hooks = e->post->snapshot())
            for (const auto& record : *hooks) {
                const variable_list before = to_list(out);
                std::optional<variable_list> r;
                if (impl::observed() && impl::reports_itself(record.fn)) r = record.fn(before, grad_outputs);
                else {
                    impl::HookFiring firing({HookKind::NodePost, record.id, n}, [&] { return before; });
                    if (!firing.skip()) r = record.fn(before, grad_outputs);
                    firing.returned(bool(r), [&] { return r ? *r : variable_list(); });
                }
                if (r) {
                    check_node_hook("node post-hook", *n, before, *r);
                    for (std::size_t i = 0; i < out.size(); ++i) out[i] = (*r)[i];
                }
            }
    if (!keep_graph_) n->release_variables();
    if (impl::observed()) impl::note_node_ran(*n, out);
    if (reel::detail::thread_modes.observers && tape_modes().anomaly && tape_modes().check_nan) check_nan(n, out);
    for (std::size_t i = 0; i < out.size(); ++i) {
        const Edge& edge = n->edges_[i];
        Node* next = edge.function.get();
        if (!next) continue;
        PassState* ns = find_state(next);
        if (!ns || (restricted_ && !ns->executes && !ns->captured)) continue;
        add_gradient(*ns, next, edge.input_nr, std::move(out[i]));
        if (--ns->dependencies == 0) push_ready(next);
    }
}

void GraphTask::after(const std::vector<NodePtr>& nodes, std::function<void()> fn) {
    const auto w = std::make_shared<Waiting>();
    for (const NodePtr& n : nodes) {
        // Accumulators run as soon as they are ready: one that waits for nothing more has run.
        const PassState* s = find_state(n.get());
        if (!s || !s->executes || s->dependencies == 0) continue;
        auto& list = waiting_[n.get()];
        if (!list.empty() && list.back() == w) continue; // named twice
        list.push_back(w);
        ++w->left;
    }
    if (w->left == 0) return fn();
    w->fn = std::move(fn);
}
void GraphTask::accumulated(Node* n) {
    const auto it = waiting_.find(n);
    if (it == waiting_.end()) return;
    const auto list = std::move(it->second); // what runs now may wait for others
    waiting_.erase(it);
    for (const auto& w : list)
        if (--w->left == 0) w->fn();
}

void GraphTask::loop(std::vector<Capture>& captures) {
    while (!ready_.empty()) {
        std::pop_heap(ready_.begin(), ready_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        Node* n = ready_.back().second;
        ready_.pop_back();
        evaluate(n, captures);
        if (!waiting_.empty() && n->is_accumulator()) accumulated(n);
    }
}

void GraphTask::run(const EdgeList& roots, const std::vector<Tensor>& seeds, std::vector<Capture>& captures,
                    const std::vector<Node*>& executed, bool restricted) {
    if (depth >= max_depth) {
        std::exception_ptr error;
        const auto modes = reel::detail::thread_modes;
        const TapeModes tape = tape_modes();
        std::thread deeper([&] {
            reel::detail::thread_modes = modes;
            tape_modes() = tape;
            try {
                run(roots, seeds, captures, executed, restricted);
            } catch (...) {
                error = std::current_exception();
            }
        });
        deeper.join();
        if (error) std::rethrow_exception(error);
        return;
    }
    struct Scope {
        GraphTask* previous;
        explicit Scope(GraphTask* t) : previous(std::exchange(running, t)) { ++depth; }
        ~Scope() {
            running = previous;
            --depth;
        }
    } scope(this);
    AutoGradMode mode(create_graph_);
    restricted_ = restricted;
    discover(roots);
    if (restricted) mark_wanted(roots, captures, executed);
    std::vector<Node*> start;
    for (std::size_t i = 0; i < roots.size(); ++i) {
        Node* n = roots[i].function.get();
        // A pass with one root starts at its node itself: its tensor hooks run even when nothing is asked of it.
        if (restricted && !wants(n) && roots.size() > 1) continue;
        add_gradient(state(n), n, roots[i].input_nr, Tensor(seeds[i]));
        if (state(n).dependencies == 0 && std::find(start.begin(), start.end(), n) == start.end()) {
            start.push_back(n);
            push_ready(n);
        }
    }
    loop(captures);
    for (std::size_t i = 0; i < callbacks_.size(); ++i) {
        const auto fn = std::move(callbacks_[i]); // callbacks may queue more
        fn();
    }
}

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
void impl::at_end_of_pass(std::function<void()> fn) { running->at_end(std::move(fn)); }

std::int64_t current_graph_task_id() { return running ? std::int64_t(running->id()) : -1; }
void queue_callback(std::function<void()> fn) {
    REEL_CHECK(running, "queue_callback: there is no backward pass running on this thread");
    running->queue_callback(std::move(fn));
}

} // namespace reel::autograd
