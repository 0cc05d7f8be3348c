// Watching a thread: which memory there is, what is read and written, by which kernel or loop.
#include "replay/recording.hpp"

#include <algorithm>
#include <cstring>

#include <reel/autograd/error.hpp>
#include <reel/autograd/grad_mode.hpp>

namespace reel::jit::replay {

namespace {
thread_local Recorder* recorder_here = nullptr;

/// Calls a pointwise loop over operands of any layout.
class StridedLoop final : public KernelCall {
public:
    StridedLoop(const reel::detail::LoopLaunch& l, Recorder& recorder)
        : launch_(l), rule_((l.rule_bytes + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t)) {
        if (l.rule_bytes) std::memcpy(rule_.data(), l.rule, l.rule_bytes);
        if (l.number) std::memcpy(number_, l.number, l.number_bytes);
        for (int i = 0; i < l.count; ++i) tensors_[i] = l.at[i] ? recorder.stand_in(*l.at[i]) : Tensor();
        for (int i = 0; i < l.count; ++i) at_[i] = l.at[i] ? &tensors_[i] : nullptr;
        launch_.rule = rule_.data();
        launch_.at = at_;
        launch_.number = number_;
        if (!launch_.name) launch_.name = "pointwise";
    }
    void run() override { reel::detail::run_launch(launch_); }

private:
    reel::detail::LoopLaunch launch_;
    std::vector<std::max_align_t> rule_;
    alignas(16) char number_[16] = {};
    Tensor tensors_[FlatLoop::most];
    const Tensor* at_[FlatLoop::most] = {};
};

/// One element for all places?
bool is_one_element(const Tensor& t) {
    for (std::size_t d = 0; d < t.sizes().size(); ++d)
        if (t.sizes()[d] != 1 && t.strides()[d] != 0) return false;
    return true;
}
} // namespace

Recorder* current_recorder() { return recorder_here; }

RecordingScope::RecordingScope(Recorder& recorder)
    : previous_(std::exchange(recorder_here, &recorder)),
      observer_(std::exchange(reel::detail::launch_observer, &recorder)) {}
RecordingScope::~RecordingScope() {
    recorder_here = previous_;
    reel::detail::launch_observer = observer_;
}

bool Recorder::announce(const Tensor& t, Origin origin) {
    // What lay there before may be gone: only another one that was announced is still there.
    known_.insert_or_assign(t.storage().get(), int(memories.size()));
    announced_.push_back(t);
    const bool alone = std::ranges::count_if(announced_, [&](const Tensor& o) { return o.is_alias_of(t); }) == 1;
    Memory m{.origin = origin, .start = t.storage_offset() * std::int64_t(t.itemsize())};
    m.written = true;
    memories.push_back(std::move(m));
    return alone;
}

void Recorder::storage_made(const Storage& s, bool fresh) {
    known_.erase(&s);
    if (!fresh || !s.device().is_cpu()) return;
    known_.emplace(&s, int(memories.size()));
    memories.push_back({.bytes = s.nbytes()});
}

void Recorder::generated(const Tensor& t) {
    Memory& m = memories[std::size_t(memory_of(t))];
    m.origin = Origin::Outside;
    m.held = t.detach();
    m.constant = m.written = true;
}

void Recorder::host_works(const char* what) { give_up(str(what, " works with values on the host")); }
void Recorder::give_up(std::string why) {
    if (why_.empty()) why_ = std::move(why);
}

bool Recorder::still_holds(const HostNumber& n) const {
    for (std::size_t s = n.step; s < steps.size(); ++s)
        for (const int m : n.read)
            if (std::ranges::find(steps[s].written, m) != steps[s].written.end()) return false;
    return true;
}
std::shared_ptr<double> Recorder::find_number(std::vector<std::int64_t> of, std::vector<int> read) {
    const auto known = std::ranges::find(numbers_, of, &HostNumber::of);
    if (known != numbers_.end()) {
        if (!still_holds(*known)) give_up("what a number was found in changes before it is found again");
        return known->value;
    }
    return numbers_.emplace_back(std::move(of), std::move(read), steps.size(), std::make_shared<double>()).value;
}
std::shared_ptr<double> Recorder::found_number(const std::vector<std::int64_t>& of) {
    const auto known = std::ranges::find(numbers_, of, &HostNumber::of);
    if (known != numbers_.end() && still_holds(*known)) return known->value;
    give_up("a number was found by somebody else, or in what has changed since");
    return nullptr;
}

int Recorder::memory_of(const Tensor& t) {
    const auto [it, is_new] = known_.emplace(t.storage().get(), int(memories.size()));
    if (is_new) {
        memories.push_back({.origin = Origin::Outside, .held = t.detach(), .written = true});
        if (!t.is_cpu()) give_up(str("a tensor lives on ", t.device(), "; only the CPU's memory is replayed"));
    }
    return it->second;
}

Tensor Recorder::stand_in(const Tensor& t) {
    if (!t.defined()) return {};
    Memory& m = memories[std::size_t(memory_of(t))];
    const std::int64_t start = m.start / std::int64_t(t.itemsize());
    if (start * std::int64_t(t.itemsize()) != m.start || t.storage_offset() < start)
        give_up("an argument is read before its own beginning");
    // Not the storage itself: who still has it is asked of its count.
    if (m.held.defined() && !m.alias) {
        const StoragePtr& s = m.held.storage();
        m.alias = Storage::wrap(s->data(), s->nbytes(), kCPU, nullptr, nullptr);
    }
    TensorImplPtr impl(new TensorImpl(m.alias, t.scalar_type(), kCPU));
    impl->set_geometry(t.sizes(), t.strides(), t.storage_offset() - start);
    impl->is_wrapped_number = t.impl()->is_wrapped_number;
    if (!m.held.defined()) m.bound.push_back(impl);
    return Tensor(std::move(impl));
}

void Recorder::about_to_write(const Tensor& t) {
    if (given_up() || !t.defined() || t.numel() == 0) return;
    const int id = memory_of(t);
    const Memory& m = memories[std::size_t(id)];
    if (m.origin != Origin::Outside || std::ranges::find(changes, id, &Change::memory) != changes.end()) return;
    const Storage& s = *m.held.storage();
    const char* const bytes = static_cast<const char*>(s.data());
    changes.push_back({id, {bytes, bytes + s.nbytes()}, m.held.impl()->version()});
}

void Recorder::about_to_draw(bool own_generator) {
    if (own_generator) give_up("it draws from a generator of its own");
    if (in_backward) give_up("the backward draws random numbers");
    draws = true;
}

/// A write from outside the tape to a tensor that keeps no history, as layers move their running moments.
bool Recorder::may_change(const Memory& m, const Tensor& t) const {
    const bool unrecorded = !GradMode::is_enabled() || !isDifferentiableType(t.scalar_type());
    return m.origin == Origin::Outside && !m.constant && !in_backward && unrecorded;
}

void Recorder::touch(Step& step, const Tensor& t, bool writes) {
    if (!t.defined() || t.numel() == 0) return;
    const int id = memory_of(t);
    Memory& m = memories[std::size_t(id)];
    if (!writes && !m.written) give_up(str(step.name, " reads memory that was filled outside of kernels"));
    if (writes && m.origin != Origin::Fresh && !may_change(m, t))
        give_up(str(step.name, m.origin == Origin::Argument ? " writes to an argument" : " writes to a tensor that ",
                    m.origin == Origin::Argument ? "" : "was there before"));
    m.written = m.written || writes;
    const int now = int(steps.size());
    if (m.first < 0) m.first = now;
    m.last = now;
    if (std::ranges::find(step.touched, id) == step.touched.end()) step.touched.push_back(id);
    if (writes && std::ranges::find(step.written, id) == step.written.end()) step.written.push_back(id);
}

bool Recorder::flat_places(const reel::detail::LoopLaunch& l, FlatLoop& flat) {
    const Tensor& out = *l.at[0];
    if (!out.is_non_overlapping_and_dense()) return false;
    for (int i = 0; i < l.count; ++i) {
        if (!l.at[i]) continue; // the number
        const Tensor& t = *l.at[i];
        const bool one = out.numel() > 1 && is_one_element(t);
        if (!one && !t.strides().equals(out.strides()) && !(t.is_contiguous() && out.is_contiguous())) return false;
        const int id = memory_of(t);
        const auto size = std::int64_t(t.itemsize());
        flat.places[i] = {id, t.storage_offset() * size - memories[std::size_t(id)].start, one ? 0 : size};
    }
    return true;
}

void Recorder::loop(const reel::detail::LoopLaunch& l) {
    const Tensor& out = *l.at[0];
    if (given_up() || out.numel() == 0) return;
    Step step{.name = l.name ? l.name : "pointwise"};
    for (int i = 1; i < l.count; ++i)
        if (l.at[i]) touch(step, *l.at[i], false);
    about_to_write(out);
    touch(step, out, true);
    FlatLoop& flat = step.flat;
    if (flat_places(l, flat)) {
        flat.loop = l.loop;
        flat.rule.resize((l.rule_bytes + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t));
        if (l.rule_bytes) std::memcpy(flat.rule.data(), l.rule, l.rule_bytes);
        if (l.number) std::memcpy(flat.number, l.number, l.number_bytes);
        flat.count = out.numel();
        flat.operands = l.count;
    } else {
        step.call = std::make_unique<StridedLoop>(l, *this);
    }
    steps.push_back(std::move(step));
}

void Recorder::kernel(const char* name, std::unique_ptr<KernelCall> call, ArrayRef<const Tensor*> read,
                      ArrayRef<const Tensor*> written, bool checks) {
    if (given_up()) return;
    Step step{.name = name, .call = std::move(call)};
    for (const Tensor* t : read) touch(step, *t, false);
    for (const Tensor* t : written) touch(step, *t, true);
    if (checks || !step.written.empty()) steps.push_back(std::move(step));
}

} // namespace reel::jit::replay
