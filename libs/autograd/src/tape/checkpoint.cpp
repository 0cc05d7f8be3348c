// Checkpointing on top of saved-tensor hooks.
#include <reel/autograd/checkpoint.hpp>

#include <algorithm>
#include <mutex>
#include <vector>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/error.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/random.hpp>

#include "tape/graph_task.hpp"
#include "tape/replay_random.hpp"

namespace reel::autograd::impl {

namespace {

thread_local std::optional<bool> early_stop_override;

/// Aborts a recomputation once everything needed is there.
struct StopRecomputing {};

/// Stands for one dropped tensor. It holds the recomputed one from the recomputation to the end of the pass or of its
/// node; each of several concurrent passes (E-76) has its own.
struct Holder {
    InputMetadata expected;
    std::vector<std::pair<std::int64_t, Tensor>> values; ///< by pass
};

struct Frame {
    CheckpointOptions options;
    std::function<void()> recompute;
    std::vector<std::pair<Tensor, std::int64_t>> inputs; ///< with the versions that they had
    std::optional<RandomState> rng_state;
    std::vector<std::weak_ptr<Holder>> holders; ///< in the order of saving
    std::mutex mutex;                           ///< over the holders' values and `recomputed`
    std::vector<std::int64_t> recomputed;       ///< the passes that had the function run again
    std::vector<std::string> saved_by_forward;  ///< to be read, with `debug`
    CheckpointContext recompute_context;
    bool forward_completed = false;
    /// A pass inside the function had it run again before it was at its end: the numbers need not fit.
    bool unequal = false;

    void run(std::int64_t pass);
    /// One run of the function, up to the last tensor that is needed; returns how many it saved.
    std::size_t run_function(std::int64_t pass, std::vector<std::string>& saved);
    void check(std::int64_t pass, std::size_t count);
    bool has_run(std::int64_t pass) {
        const std::lock_guard lock(mutex);
        return std::find(recomputed.begin(), recomputed.end(), pass) != recomputed.end();
    }
    /// What `pass` recomputed for `h`, undefined before.
    Tensor value(const Holder& h, std::int64_t pass) {
        const std::lock_guard lock(mutex);
        for (const auto& [of, value] : h.values)
            if (of == pass) return value;
        return {};
    }
    void put(Holder& h, std::int64_t pass, Tensor value) {
        const std::lock_guard lock(mutex);
        for (auto& [of, old] : h.values)
            if (of == pass) {
                old = std::move(value);
                return;
            }
        h.values.emplace_back(pass, std::move(value));
    }
    void forget(std::int64_t pass) {
        const std::lock_guard lock(mutex);
        std::erase(recomputed, pass);
        for (const auto& weak : holders)
            if (const auto h = weak.lock()) std::erase_if(h->values, [&](const auto& v) { return v.first == pass; });
    }
};

void check_same(const InputMetadata& expected, const Tensor& t, std::size_t index) {
    const InputMetadata got(t);
    const bool same = got.sizes == expected.sizes && got.dtype == expected.dtype && got.device == expected.device;
    if (!same)
        throw CheckpointError(
            str("checkpoint: tensor ", index, " saved by the recomputation is ", dtype_name(got.dtype), " ",
                IntArrayRef(got.sizes), " on ", got.device, ", but the forward saved ", dtype_name(expected.dtype), " ",
                IntArrayRef(expected.sizes), " on ", expected.device, "; the function must do the same both times"));
}

/// Afterwards, so that an unfit function runs to its end before anybody hears of it.
void Frame::check(std::int64_t pass, std::size_t count) {
    if (unequal) return;
    if (count != holders.size())
        throw CheckpointError(str("checkpoint: the recomputation saved ", count, " tensors, but the forward saved ",
                                  holders.size(), "; the function must do the same both times"));
    if (!options.determinism_check) return;
    for (std::size_t i = 0; i < holders.size(); ++i)
        if (const auto h = holders[i].lock())
            if (const Tensor t = value(*h, pass); t.defined()) check_same(h->expected, t, i);
}

std::string described(const Tensor& t) {
    const NodePtr maker = t.grad_fn();
    return str(dtype_name(t.scalar_type()), " ", t.sizes(), maker ? " of " + maker->name() : std::string(", a leaf"));
}
std::string listed(const char* run, const std::vector<std::string>& saved) {
    std::string text = str("\n", run, " saved:");
    for (std::size_t i = 0; i < saved.size(); ++i) text += str("\n  ", i, ": ", saved[i]);
    return text;
}

void Frame::run(std::int64_t pass) {
    for (const auto& [t, version] : inputs)
        REEL_CHECK(t._version() == version,
                   "checkpoint: an argument of the checkpointed function was modified by an in-place operation: ",
                   t.toString(), " ", t.sizes(), " is at version ", t._version(), "; expected version ", version,
                   " instead. Clone it before modifying it");
    std::vector<std::string> saved;
    try {
        const std::size_t count = run_function(pass, saved);
        {
            const std::lock_guard lock(mutex);
            recomputed.push_back(pass);
        }
        check(pass, count);
    } catch (const CheckpointError& e) {
        if (!options.debug) throw;
        throw CheckpointError(e.msg() + listed("the forward", saved_by_forward) + listed("the recomputation", saved));
    }
}
std::size_t Frame::run_function(std::int64_t pass, std::vector<std::string>& saved) {
    const ReplayRandom random(rng_state);
    const std::shared_ptr<void> context = recompute_context ? recompute_context() : nullptr;
    std::size_t count = 0;
    try {
        EnableGradGuard grad;
        SavedTensorsHooksGuard hooks(
            [&](const Tensor& t) -> Value {
                const std::size_t i = count++;
                if (options.debug) saved.push_back(described(t));
                const Tensor plain = t.detach();
                if (i < holders.size()) {
                    if (const auto h = holders[i].lock()) put(*h, pass, plain);
                } else if (!forward_completed) unequal = true;
                else
                    throw CheckpointError(str("checkpoint: the recomputation saves more tensors than the ",
                                              holders.size(),
                                              " that the forward saved; the function must do the same both times"));
                if (options.early_stop && count == holders.size()) throw StopRecomputing{};
                return Value(plain);
            },
            [](const Value& v) { return v.toTensor(); });
        recompute();
    } catch (const StopRecomputing&) { // everything is there
    }
    return count;
}

} // namespace

void collect_tensors(const Value& v, variable_list& out) {
    if (v.isTensor()) {
        if (v.toTensor().defined()) out.push_back(v.toTensor());
    } else if (v.isSequence()) collect_tensors(v.elements(), out);
}
void collect_tensors(const Args& args, variable_list& out) {
    for (const Value& v : args) collect_tensors(v, out);
}

CheckpointScope::CheckpointScope(const CheckpointOptions& options, std::function<void()> recompute,
                                 const variable_list& inputs) {
    const CheckpointContexts contexts = options.context_fn ? options.context_fn() : CheckpointContexts();
    if (!GradMode::is_enabled()) return;
    auto frame = std::make_shared<Frame>();
    frame->options = options;
    if (early_stop_override) frame->options.early_stop = *early_stop_override;
    frame->recompute = std::move(recompute);
    frame->recompute_context = contexts.recompute;
    for (const Tensor& t : inputs)
        if (t.defined() && !t.is_inference()) frame->inputs.emplace_back(t, t._version());
    if (options.preserve_rng_state) frame->rng_state = random_state();
    // The pack hook lives as long as the forward runs.
    const std::shared_ptr<Frame> forward(frame.get(), [frame](Frame* f) { f->forward_completed = true; });
    guard_ = std::make_unique<SavedTensorsHooksGuard>(
        [forward](const Tensor& t) -> Value {
            auto h = std::make_shared<Holder>();
            h->expected = InputMetadata(t);
            forward->holders.push_back(h);
            if (forward->options.debug) forward->saved_by_forward.push_back(described(t));
            return Value::box(h);
        },
        [frame](const Value& v) -> Tensor {
            const auto h = v.get<std::shared_ptr<Holder>>();
            GraphTask* task = GraphTask::current();
            const std::int64_t pass = task ? std::int64_t(task->id()) : 0;
            if (!frame->has_run(pass)) {
                if (task)
                    task->at_end([weak = std::weak_ptr<Frame>(frame), pass] {
                        if (const auto f = weak.lock()) f->forget(pass);
                    });
                frame->run(pass);
            }
            const Tensor t = frame->value(*h, pass);
            REEL_CHECK(t.defined(), "checkpoint: a saved tensor was not recomputed");
            if (!task) frame->forget(pass); // reading from a node outside of a pass
            return t;
        });
    if (contexts.forward) context_ = contexts.forward();
}
CheckpointScope::~CheckpointScope() = default;

} // namespace reel::autograd::impl

namespace reel::autograd {
CheckpointEarlyStopGuard::CheckpointEarlyStopGuard(bool enabled)
    : previous_(std::exchange(impl::early_stop_override, enabled)) {}
CheckpointEarlyStopGuard::~CheckpointEarlyStopGuard() { impl::early_stop_override = previous_; }
} // namespace reel::autograd
