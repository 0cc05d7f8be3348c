// The call that is recorded: forward, then back through what it left on the tape.
#include <algorithm>
#include <functional>
#include <iterator>
#include <unordered_set>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/detail/enclosed_passes.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops/factory/empty.hpp>
#include <reel/autograd/ops/factory/ranges.hpp>
#include <reel/autograd/ops/factory/zeros.hpp>
#include <reel/autograd/ops/pointwise/division.hpp>
#include <reel/autograd/ops/shape/strided.hpp>
#include <reel/autograd/ops/shape/view.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "replay/effects.hpp"
#include "replay/entry.hpp"
#include "replay/taken_kernels.hpp"

namespace reel::jit::replay {

namespace {

using autograd::Edge;
using autograd::Node;

Slot slot_of(Recorder& r, const Tensor& t) {
    Slot s;
    s.memory = r.memory_of(t);
    s.sizes = t.sizes();
    s.strides = t.strides();
    s.offset = t.storage_offset() - r.memories[std::size_t(s.memory)].start / std::int64_t(t.itemsize());
    s.dtype = t.scalar_type();
    s.requires_grad = t.requires_grad();
    return s;
}

/// A number that no earlier node of this thread has reached.
std::uint64_t next_sequence_nr() {
    const EnableGradGuard on;
    const Tensor t = zeros({}).requires_grad_();
    return (t * 1).grad_fn()->sequence_nr();
}

/// Has each element memory of its own? Steps of dimensions must lead beyond what those with smaller steps reach.
bool is_spread(const Dims& sizes, const Dims& strides) {
    std::vector<std::pair<std::int64_t, std::int64_t>> dims; // step, size
    for (std::size_t d = 0; d < sizes.size(); ++d)
        if (sizes[d] > 1) dims.emplace_back(strides[d], sizes[d]);
    std::ranges::sort(dims);
    std::int64_t reach = 0;
    for (const auto& [step, size] : dims) {
        if (step <= reach) return false;
        reach += step * (size - 1);
    }
    return true;
}
/// Numbers of which no two neighbours are alike, in the layout of `t`, or with these strides: one element for all of
/// a dimension that is expanded.
Tensor seed_like(const Tensor& t, const Dims* strides) {
    const NoGradGuard off;
    Dims sizes, steps;
    sizes = t.sizes();
    steps = strides ? IntArrayRef(*strides) : t.strides();
    for (std::size_t d = 0; d < sizes.size(); ++d)
        if (steps[d] == 0 && sizes[d] > 1) sizes[d] = 1;
    if (!is_spread(sizes, steps)) return seed_like(t, nullptr);
    Tensor s = empty_strided(sizes, steps, TensorOptions(t.scalar_type()));
    const Tensor numbers = remainder(arange(s.numel(), TensorOptions(kDouble)), Scalar(7)) * 0.25 - 0.625;
    s.copy_(view(numbers, sizes));
    return as_strided(s, t.sizes(), steps);
}

/// Walks the part of the tape that the call has made: where does it end?
class TapeWalk {
public:
    TapeWalk(Entry& entry, TensorList arguments, std::uint64_t begin, Recorder& recorder)
        : entry_(entry), begin_(begin), recorder_(recorder) {
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            if (!arguments[i].requires_grad()) continue;
            const Edge e = autograd::gradient_edge(arguments[i]);
            if (std::ranges::find(edges, e) != edges.end()) recorder.give_up("two arguments are one tensor");
            edges.push_back(e);
            entry.differentiable.push_back(int(i));
        }
    }
    void from(const Tensor& output) { go(autograd::gradient_edge(output)); }
    std::vector<Edge> edges; ///< of arguments, then of leaves

private:
    void go(const Edge& first) {
        std::vector<Edge> to_do{first};
        while (!to_do.empty() && !recorder_.given_up()) {
            const Edge e = to_do.back();
            to_do.pop_back();
            if (!e.is_valid() || std::ranges::find(edges, e) != edges.end()) continue;
            Node& n = *e.function;
            if (n.is_accumulator()) add_leaf(e);
            else if (n.sequence_nr() <= begin_) recorder_.give_up("a tensor from outside has a history");
            else if (seen_.insert(&n).second) visit(n, to_do);
        }
    }
    void visit(Node& n, std::vector<Edge>& to_do) {
        if (n.extras()) recorder_.give_up(str("there is a hook on ", n.name()));
        if (!dynamic_cast<autograd::RuleNode*>(&n)) recorder_.give_up(str(n.name(), " is no op's own node"));
        for (const Edge& e : n.next_edges()) to_do.push_back(e);
    }
    void add_leaf(const Edge& e) {
        const Tensor leaf = reel::detail::leaf_of(*e.function);
        entry_.leaves.push_back({leaf, leaf.storage().get()});
        edges.push_back(e);
    }
    Entry& entry_;
    const std::uint64_t begin_;
    Recorder& recorder_;
    std::unordered_set<const Node*> seen_;
};

/// One call being recorded.
class Call {
public:
    Call(Entry& entry, void* target, TensorList arguments) : entry_(entry), target_(target), arguments_(arguments) {}

    std::vector<Tensor> run() {
        REEL_INTERNAL_ASSERT(taken_kernels() > 0, "kernels have no stand-ins");
        begin_ = next_sequence_nr();
        stream_ = stream_state();
        for (const Tensor& t : arguments_) {
            if (!recorder().announce(t, Origin::Argument)) recorder().give_up("two arguments share memory");
            recording_.arguments.push_back(slot_of(recorder(), t));
        }
        {
            const RecordingScope scope(recorder());
            outputs_ = entry_.signature.invoke(target_, arguments_);
        }
        finish();
        return std::move(outputs_);
    }

private:
    Recorder& recorder() { return recording_.recorder; }
    void finish() {
        recording_.forward_steps = recorder().steps.size();
        for (const Tensor& t : outputs_) note_output(t);
        if (!recorder().given_up() && any_gradient()) {
            record_backward();
            refuse_results_of_changes();
        }
        if (recorder().given_up()) return entry_.give_up(recorder().why());
        if (recorder().draws) beginning_.stream = stream_;
        for (Change& c : recorder().changes) beginning_.changed.push_back(std::move(c.before));
        note_deciding();
        entry_.plan = make_plan(std::move(recording_));
        note_kept();
        prove();
    }

    void note_output(const Tensor& t) {
        if (!t.defined() || !t.is_cpu()) return recorder().give_up("a result is undefined or on a device");
        const Slot s = slot_of(recorder(), t);
        const Memory& m = recorder().memories[std::size_t(s.memory)];
        if (m.origin != Origin::Fresh) recorder().give_up("a result is, or aliases, a tensor from outside");
        else if (!m.written && t.numel() > 0) recorder().give_up("a result was filled outside of kernels");
        for (const Slot& other : recording_.outputs)
            if (other.memory == s.memory) recorder().give_up("two results share memory");
        recording_.outputs.push_back(s);
    }
    bool any_gradient() const { return entry_.signature.grad && std::ranges::any_of(outputs_, &Tensor::requires_grad); }

    void record_backward() {
        TapeWalk walk(entry_, arguments_, begin_, recorder());
        std::vector<Tensor> roots;
        for (const Tensor& t : outputs_) {
            if (!t.requires_grad()) continue;
            walk.from(t);
            roots.push_back(t);
        }
        if (recorder().given_up()) return;
        for (const Tensor& t : roots) {
            const auto& layouts = entry_.seed_layouts;
            seeds_.push_back(seed_like(t, layouts.size() == roots.size() ? &layouts[seeds_.size()] : nullptr));
            recorder().announce(seeds_.back(), Origin::Seed);
            recording_.seeds.push_back(slot_of(recorder(), seeds_.back()));
        }
        pass_through(roots, walk.edges);
        if (recorder().given_up()) return;
        for (const Tensor& g : gradients_) note_gradient(g);
        recording_.first_leaf = entry_.differentiable.size();
        const int boundary = int(recording_.forward_steps);
        for (std::size_t s = recording_.forward_steps; s < recorder().steps.size(); ++s)
            for (const int m : recorder().steps[s].written)
                if (recorder().memories[std::size_t(m)].first < boundary)
                    recorder().give_up(str(recorder().steps[s].name, " writes to what the backward keeps"));
    }
    void pass_through(const std::vector<Tensor>& roots, const std::vector<Edge>& edges) {
        recorder().in_backward = true;
        // Hooks of arguments and leaves run once, in the caller's own pass.
        const reel::detail::EnclosedPasses enclosed;
        const RecordingScope scope(recorder());
        try {
            gradients_ = autograd::grad(roots, edges, seeds_, true, false, true);
        } catch (const Error& e) {
            recorder().give_up(str("its backward fails: ", e.what()));
        }
    }
    /// Calling the function once more, for gradients that the plan does not have, must give the same results, though
    /// what it changes has changed.
    void refuse_results_of_changes() {
        std::vector<int> old;
        for (const Change& c : recorder().changes) old.push_back(c.memory);
        if (old.empty()) return;
        const auto is_old = [&](int m) { return std::ranges::find(old, m) != old.end(); };
        for (std::size_t s = 0; s < recorder().steps.size(); ++s) {
            const Step& step = recorder().steps[s];
            if (std::ranges::none_of(step.touched, is_old)) continue;
            if (s >= recording_.forward_steps)
                return recorder().give_up(str(step.name, " reads what depends on a tensor that the call changes"));
            std::ranges::copy_if(step.written, std::back_inserter(old), std::not_fn(is_old));
        }
        for (const Slot& s : recording_.outputs)
            if (is_old(s.memory)) recorder().give_up("its results depend on a tensor that it changes");
    }
    void note_gradient(const Tensor& g) {
        if (!g.defined()) return void(recording_.gradients.emplace_back());
        const Slot s = slot_of(recorder(), g);
        const Memory& m = recorder().memories[std::size_t(s.memory)];
        const bool own = m.origin == Origin::Fresh && m.written && m.first >= int(recording_.forward_steps);
        if (!own && m.origin != Origin::Seed)
            recorder().give_up("a gradient lies in memory that the backward does not make");
        recording_.gradients.push_back(s);
    }

    /// Gradients for which the function is called once more are those of the first call as long as what goes into the
    /// values that the backward reads has not changed.
    void note_deciding() {
        const std::vector<Step>& steps = recorder().steps;
        std::vector<bool> decides(recorder().memories.size());
        const auto mark = [&](const Step& step) {
            for (const int m : step.touched) decides[std::size_t(m)] = true;
        };
        for (std::size_t s = steps.size(); s-- > 0;)
            if (s >= recording_.forward_steps ||
                std::ranges::any_of(steps[s].written, [&](int m) { return decides[std::size_t(m)]; }))
                mark(steps[s]);
        for (const Change& c : recorder().changes) decides[std::size_t(c.memory)] = false;
        for (std::size_t i = 0; i < recording_.arguments.size(); ++i)
            if (decides[std::size_t(recording_.arguments[i].memory)]) entry_.deciding_arguments.push_back(int(i));
        for (std::size_t m = 0; m < decides.size(); ++m) {
            const Memory& memory = recorder().memories[m];
            if (decides[m] && memory.held.defined() && !memory.constant) entry_.deciding_outside.push_back(int(m));
        }
    }
    /// What a call must keep for its backward.
    void note_kept() {
        const Plan& plan = *entry_.plan;
        const auto read = [&](int m) { return plan.read_by_backward[std::size_t(m)]; };
        for (std::size_t i = 0; i < plan.arguments.size(); ++i)
            if (read(plan.arguments[i].memory)) entry_.kept_arguments.push_back(int(i));
        for (std::size_t i = 0; i < plan.outputs.size(); ++i)
            if (read(plan.outputs[i].memory)) entry_.kept_outputs.push_back(int(i));
        for (std::size_t m = 0; m < plan.memories.size(); ++m)
            if (plan.memories[m].held.defined() && !plan.memories[m].constant && read(int(m)))
                entry_.kept_outside.push_back(int(m));
    }

    /// Does the plan give what the function gave?
    void prove() {
        bool by_others = false;
        if (is_proved(by_others)) return entry_.state.store(EntryState::Unproven, std::memory_order_release);
        if (by_others) entry_.forget();
        entry_.differs(by_others, EntryState::New, "its replay gives other values: memory changes outside of kernels");
    }
    bool is_proved(bool& by_others) {
        const NoGradGuard off;
        const Again again(*entry_.plan, beginning_);
        const ForwardRun run = run_forward(entry_, arguments_);
        by_others = !again.same_stream();
        return !by_others && std::ranges::equal(run.outputs, outputs_, same_bits) && again.same_changes() &&
               proves_gradients(run);
    }
    bool proves_gradients(const ForwardRun& run) {
        return gradients_.empty() ||
               std::ranges::equal(run_backward(entry_, arguments_, run.outputs, run.saved, seeds_), gradients_,
                                  same_bits);
    }

    Entry& entry_;
    void* target_;
    TensorList arguments_;
    std::uint64_t begin_ = 0;
    Recording recording_;
    std::vector<Tensor> outputs_, seeds_, gradients_;
    Tensor stream_; ///< where random numbers were when the call began
    Beginning beginning_;
};

} // namespace

std::vector<Tensor> record_call(Entry& entry, void* target, TensorList arguments) {
    return Call(entry, target, arguments).run();
}

} // namespace reel::jit::replay
