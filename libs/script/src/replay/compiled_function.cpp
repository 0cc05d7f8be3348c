// Calls of compiled functions: which recording fits, and what may be replayed now.
#include <reel/script/compiled_function.hpp>

#include <algorithm>
#include <ostream>

#include <reel/autograd/detail/launch_observer.hpp>
#include <reel/autograd/grad_mode.hpp>

#include "replay/effects.hpp"
#include "replay/entry.hpp"

namespace reel::jit {

namespace {
using replay::Entry;
using replay::EntryState;

/// Recordings of one function; calls with further arguments go eagerly.
constexpr std::size_t most_entries = 16;
/// How often tensors from outside may be replaced before calls of one kind stay eager.
constexpr int most_renewals = 4;

/// Why this thread's calls cannot be replayed now; null when they can.
const char* obstacle_here(TensorList arguments) {
    if (reel::detail::launch_observer) return "it is called while something is being recorded";
    if (reel::detail::thread_modes.observers)
        return "anomaly mode, hooks on saved tensors or an observer want to see every node";
    if (reel::detail::op_calls_are_taken()) return "calls of ops are taken: by a trace, say";
    if (InferenceMode::is_enabled()) return "inference mode is on";
    for (const Tensor& t : arguments) {
        if (!t.defined()) return "an argument is undefined";
        if (!t.is_cpu()) return "an argument is not on the CPU";
        if (t.is_inference()) return "an argument was made in inference mode";
    }
    return nullptr;
}
} // namespace

struct detail::CompiledCalls::Impl {
    std::shared_ptr<void> target;
    std::shared_ptr<const CompileWatch> watch;
    mutable std::mutex lock; ///< of what follows
    struct Known {
        std::shared_ptr<Entry> entry;
        int renewals = 0, refits = 0;
    };
    std::vector<Known> entries;
    std::vector<std::string> eager;
    std::uint64_t calls = 0;
    std::uint64_t former_replays = 0; ///< of recordings that are gone

    void note_eager(const char* why) {
        if (std::ranges::find(eager, why) == eager.end()) eager.emplace_back(why);
    }
    /// The recording for these arguments, which may be new; null when there are too many.
    std::shared_ptr<Entry> find(Invoke invoke, TensorList arguments) {
        std::vector<std::uintptr_t> state;
        if (watch) watch->state(state);
        for (Known& k : entries)
            if (k.entry->signature.fits(invoke, arguments, state)) return current(k);
        if (entries.size() >= most_entries) {
            note_eager("it was called with too many kinds of arguments");
            return nullptr;
        }
        entries.push_back({std::make_shared<Entry>(replay::Signature(invoke, arguments, std::move(state)), watch)});
        return entries.back().entry;
    }
    /// The same, anew if tensors from outside were replaced, or gradients arrive in other layouts than were recorded.
    static std::shared_ptr<Entry> current(Known& k) {
        const EntryState state = k.entry->state.load(std::memory_order_acquire);
        if (state != EntryState::Ready && state != EntryState::Unproven) return k.entry;
        const bool refit = k.refits < most_renewals && k.entry->shall_fit_others(), replaced = !k.entry->is_current();
        if (!refit && !replaced) return k.entry;
        auto fresh = std::make_shared<Entry>(k.entry->signature, k.entry->watch);
        fresh->replays = k.entry->replays.load();
        fresh->seed_layouts = refit ? k.entry->layouts_wanted() : k.entry->seed_layouts;
        k.refits += refit;
        if (replaced && ++k.renewals > most_renewals)
            fresh->give_up("tensors from outside are replaced again and again");
        return k.entry = std::move(fresh);
    }
    std::shared_ptr<Entry> look_up(Invoke invoke, TensorList arguments) {
        const char* why = obstacle_here(arguments);
        const std::lock_guard guard(lock);
        ++calls;
        if (!why && watch) why = watch->obstacle();
        if (!why) return find(invoke, arguments);
        note_eager(why);
        return nullptr;
    }
};

namespace {
std::vector<Tensor> replayed(const std::shared_ptr<Entry>& entry, const std::shared_ptr<void>& target,
                             TensorList arguments) {
    const replay::Plan& plan = *entry->plan;
    std::optional<replay::StreamStretch> stretch;
    if (plan.draws) stretch.emplace();
    replay::ForwardRun run = replay::run_forward(*entry, arguments);
    plan.note_changes();
    if (!plan.seeds.empty())
        replay::attach_node(entry, target, arguments, run, stretch ? stretch->beginning() : Tensor());
    entry->replays.fetch_add(1, std::memory_order_relaxed);
    return std::move(run.outputs);
}
/// Does the replay, from the same beginning, do what the function has done? What it does is unseen in any case.
void compare(Entry& entry, const replay::Beginning& beginning, TensorList arguments,
             const std::vector<Tensor>& own) try {
    const NoGradGuard off;
    const replay::Again again(*entry.plan, beginning);
    const replay::ForwardRun run = replay::run_forward(entry, arguments);
    if (std::ranges::equal(run.outputs, own, replay::same_bits) && again.same_changes() && again.same_stream())
        return entry.state.store(EntryState::Ready, std::memory_order_release);
    entry.differs(!again.same_stream(), EntryState::Unproven,
                  "its replay gave other values for other arguments: it depends on values that were not seen");
} catch (const std::exception& e) { // the function itself has succeeded: that is what the caller gets
    entry.give_up(str("its replay fails for other arguments: ", e.what()));
}
/// The recording may have taken for constant what depends on values: the first call with others tells.
std::vector<Tensor> compared(Entry& entry, void* target, TensorList arguments) {
    replay::Beginning beginning;
    std::vector<Tensor> own;
    try {
        beginning = replay::beginning_of(*entry.plan);
        own = entry.signature.invoke(target, arguments);
    } catch (...) {
        entry.state.store(EntryState::Unproven, std::memory_order_release);
        throw;
    }
    compare(entry, beginning, arguments, own);
    return own;
}
/// The entry is Recording until the call ends; it is what it was before if the function throws.
std::vector<Tensor> recorded(Entry& entry, void* target, TensorList arguments) {
    try {
        return replay::record_call(entry, target, arguments);
    } catch (...) {
        entry.forget();
        entry.state.store(EntryState::New, std::memory_order_release);
        throw;
    }
}
} // namespace

namespace detail {

CompiledCalls::CompiledCalls(std::shared_ptr<void> target, std::shared_ptr<const CompileWatch> watch)
    : impl_(std::make_shared<Impl>()) {
    impl_->target = std::move(target);
    impl_->watch = std::move(watch);
}
CompiledCalls::~CompiledCalls() = default;

std::vector<Tensor> CompiledCalls::call(Invoke invoke, TensorList arguments, void* here) {
    const std::shared_ptr<Entry> entry = impl_->look_up(invoke, arguments);
    if (!here) here = impl_->target.get();
    if (!entry) return invoke(here, arguments);
    EntryState state = entry->state.load(std::memory_order_acquire);
    if (state == EntryState::Ready) [[likely]]
        return replayed(entry, impl_->target, arguments);
    if ((state == EntryState::New || state == EntryState::Unproven) &&
        entry->state.compare_exchange_strong(state, EntryState::Recording))
        return state == EntryState::New ? recorded(*entry, here, arguments) : compared(*entry, here, arguments);
    return invoke(here, arguments);
}

CompileReport CompiledCalls::explain() const {
    const std::lock_guard guard(impl_->lock);
    CompileReport r;
    r.calls = impl_->calls;
    r.replays = impl_->former_replays;
    r.eager = impl_->eager;
    for (const Impl::Known& k : impl_->entries) {
        const EntryState state = k.entry->state.load(std::memory_order_acquire);
        CompileReport::Graph g{.arguments = k.entry->signature.text()};
        g.replays = k.entry->replays.load(std::memory_order_relaxed);
        r.replays += g.replays;
        if (state == EntryState::Eager) g.why_eager = k.entry->why;
        if (state == EntryState::Ready || state == EntryState::Unproven) {
            const replay::Plan& plan = *k.entry->plan;
            g.forward = plan.forward.names;
            g.backward = plan.backward.names;
            g.fused_loops = plan.forward.fused_loops + plan.backward.fused_loops;
            g.groups = plan.forward.groups + plan.backward.groups;
            g.scratch_bytes = plan.scratch_bytes;
            g.saved_bytes = plan.saved_bytes;
        }
        r.graphs.push_back(std::move(g));
    }
    return r;
}

void CompiledCalls::reset() {
    const std::lock_guard guard(impl_->lock);
    for (const Impl::Known& k : impl_->entries) impl_->former_replays += k.entry->replays.load();
    impl_->entries.clear();
    impl_->eager.clear();
}

} // namespace detail

namespace {
/// `mm, 3 add, relu`: repetitions counted.
std::string in_short(const std::vector<std::string>& names) {
    std::string r;
    for (std::size_t i = 0; i < names.size();) {
        std::size_t same = 1;
        while (i + same < names.size() && names[i + same] == names[i]) ++same;
        r += str(r.empty() ? "" : ", ", same > 1 ? str(same, " ") : "", names[i]);
        i += same;
    }
    return r;
}
} // namespace

std::string CompileReport::text() const {
    std::string r = str(calls, " calls, ", replays, " replayed\n");
    for (const std::string& why : eager) r += str("eager: ", why, "\n");
    for (const Graph& g : graphs) {
        r += str("(", g.arguments, ")\n");
        if (!g.why_eager.empty()) {
            r += str("  eager: ", g.why_eager, "\n");
            continue;
        }
        r += str("  forward: ", in_short(g.forward), "\n");
        if (!g.backward.empty()) r += str("  backward: ", in_short(g.backward), "\n");
        r += str("  ", g.fused_loops, " loops fused into ", g.groups, "; ", g.scratch_bytes, " bytes of its own, ",
                 g.saved_bytes, " kept by a call; ", g.replays, " replays\n");
    }
    return r;
}
std::ostream& operator<<(std::ostream& os, const CompileReport& report) { return os << report.text(); }

} // namespace reel::jit
