// What a recording holds for, and its runs.
#include "replay/entry.hpp"

#include <algorithm>
#include <cstring>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops/factory/empty.hpp>
#include <reel/autograd/type_promotion.hpp>

namespace reel::jit::replay {

Signature::Signature(Invoke f, TensorList tensors, std::vector<std::uintptr_t> state)
    : invoke(f), watched(std::move(state)), grad(GradMode::is_enabled()), default_dtype(get_default_dtype()) {
    for (const Tensor& t : tensors) arguments.push_back({t.sizes(), t.strides(), t.scalar_type(), t.requires_grad()});
}
bool Signature::fits(Invoke other, TensorList tensors, const std::vector<std::uintptr_t>& state) const {
    if (other != invoke || tensors.size() != arguments.size() || GradMode::is_enabled() != grad ||
        get_default_dtype() != default_dtype || state != watched)
        return false;
    for (std::size_t i = 0; i < tensors.size(); ++i)
        if (!arguments[i].fits(tensors[i])) return false;
    return true;
}
std::string Signature::text() const {
    std::string r;
    for (const Argument& a : arguments) {
        r += str(dtype_name(a.dtype), " ", IntArrayRef(a.sizes));
        r += a.requires_grad ? " requires grad, " : ", ";
    }
    return r + (grad ? "grad mode on" : "grad mode off");
}

bool Entry::is_current() const {
    for (const Leaf& l : leaves)
        if (l.tensor.storage().get() != l.storage || !l.tensor.requires_grad() || l.tensor.use_count() == 1)
            return false;
    return !plan || std::ranges::none_of(plan->outside, [&](int m) {
        return plan->memories[std::size_t(m)].held.storage()->use_count() == 1;
    });
}
bool Entry::watch_agrees() const {
    if (!watch || !watch->lives()) return true;
    std::vector<std::uintptr_t> state;
    watch->state(state);
    return state == signature.watched;
}
bool Entry::shall_fit_others() const {
    constexpr int enough = 3;
    return misfits.load(std::memory_order_relaxed) >= enough;
}
std::vector<Dims> Entry::layouts_wanted() {
    const std::lock_guard guard(lock);
    return wanted;
}
bool Entry::fits(TensorList grads) {
    bool same = true;
    for (std::size_t i = 0; i < grads.size(); ++i) same = same && grads[i].strides().equals(plan->seeds[i].strides);
    if (same) {
        if (misfits.load(std::memory_order_relaxed)) misfits.store(0, std::memory_order_relaxed);
        return true;
    }
    const std::lock_guard guard(lock);
    std::vector<Dims> now;
    for (const Tensor& t : grads) now.emplace_back(t.strides());
    misfits.store(now == wanted ? misfits.load() + 1 : 1, std::memory_order_relaxed);
    wanted = std::move(now);
    return false;
}
void Entry::differs(bool by_others, EntryState otherwise, const char* reason) {
    constexpr int most = 8;
    if (by_others && ++disturbed < most) state.store(otherwise, std::memory_order_release);
    else give_up(by_others ? "other threads draw random numbers at the same time" : reason);
}
void Entry::forget() {
    plan.reset();
    leaves.clear();
    for (auto* list :
         {&differentiable, &kept_arguments, &kept_outputs, &kept_outside, &deciding_arguments, &deciding_outside})
        list->clear();
}
void Entry::give_up(std::string reason) {
    why = std::move(reason);
    state.store(EntryState::Eager, std::memory_order_release);
}

namespace {
/// The storage of `t` as if it began with its first element.
StoragePtr from_first_element(const Tensor& t) {
    const std::size_t start = std::size_t(t.storage_offset()) * t.itemsize();
    return Storage::wrap(t.impl()->data(), t.storage()->nbytes() - start, kCPU, nullptr, nullptr);
}
void bind_slot(Plan& plan, const Slot& slot, const Tensor& t) {
    const auto m = std::size_t(slot.memory);
    if (plan.memories[m].bound.empty()) plan.at[m] = static_cast<char*>(t.impl()->data());
    else plan.bind(slot.memory, from_first_element(t), 0);
}
Tensor tensor_at(const StoragePtr& storage, const Slot& slot, std::int64_t start = 0) {
    TensorImplPtr impl(new TensorImpl(storage, slot.dtype, kCPU));
    impl->set_geometry(slot.sizes, slot.strides, start + slot.offset);
    return Tensor(std::move(impl));
}

/// What a run binds is let go when it ends, by exception, too.
class Bindings {
public:
    explicit Bindings(Plan& plan) : plan_(plan) {}
    ~Bindings() {
        for (const int m : bound_) plan_.unbind(m);
    }
    Bindings(const Bindings&) = delete;
    void slot(const Slot& s, const Tensor& t) {
        bind_slot(plan_, s, t);
        bound_.push_back(s.memory);
    }
    void memory(int m, const StoragePtr& storage) {
        plan_.bind(m, storage, 0);
        bound_.push_back(m);
    }
    /// Fresh memory for everything that a program hands out.
    void results(const Program& program) {
        for (const int m : program.results) {
            made_.push_back(Storage::allocate(plan_.memories[std::size_t(m)].bytes, kCPU));
            memory(m, made_.back());
        }
    }
    const StoragePtr& made(const Program& program, int m) const {
        std::size_t i = 0;
        while (program.results[i] != m) ++i;
        return made_[i];
    }

private:
    Plan& plan_;
    SmallVector<int, 8> bound_;
    std::vector<StoragePtr> made_;
};
} // namespace

ForwardRun run_forward(Entry& entry, TensorList arguments) {
    Plan& plan = *entry.plan;
    ForwardRun run;
    const std::lock_guard lock(entry.lock);
    Bindings bindings(plan);
    for (std::size_t i = 0; i < arguments.size(); ++i)
        if (plan.memories[std::size_t(plan.arguments[i].memory)].first >= 0)
            bindings.slot(plan.arguments[i], arguments[i]);
    bindings.results(plan.forward);
    run.saved = plan.fresh_saved();
    if (run.saved) plan.use_saved(run.saved);
    plan.run(plan.forward);
    run.outputs.reserve(plan.outputs.size());
    for (const Slot& s : plan.outputs) run.outputs.push_back(tensor_at(bindings.made(plan.forward, s.memory), s));
    return run;
}

std::vector<Tensor> run_backward(Entry& entry, TensorList arguments, TensorList outputs, const StoragePtr& saved,
                                 TensorList seeds) {
    Plan& plan = *entry.plan;
    const std::lock_guard lock(entry.lock);
    Bindings bindings(plan);
    for (const int i : entry.kept_arguments) bindings.slot(plan.arguments[std::size_t(i)], arguments[std::size_t(i)]);
    for (const int i : entry.kept_outputs)
        bindings.memory(plan.outputs[std::size_t(i)].memory, outputs[std::size_t(i)].storage());
    for (std::size_t i = 0; i < seeds.size(); ++i) bindings.slot(plan.seeds[i], seeds[i]);
    bindings.results(plan.backward);
    if (saved) plan.use_saved(saved);
    plan.run(plan.backward);
    std::vector<Tensor> gradients;
    gradients.reserve(plan.gradients.size());
    for (const Slot& s : plan.gradients) {
        if (s.memory < 0) {
            gradients.emplace_back();
            continue;
        }
        if (plan.regions[std::size_t(s.memory)] == Region::Kept) {
            gradients.push_back(tensor_at(plan.take_kept(s.memory), s));
            continue;
        }
        std::size_t seed = 0;
        while (seed < seeds.size() && plan.seeds[seed].memory != s.memory) ++seed;
        if (seed == seeds.size()) gradients.push_back(tensor_at(bindings.made(plan.backward, s.memory), s));
        else gradients.push_back(tensor_at(seeds[seed].storage(), s, seeds[seed].storage_offset()));
    }
    return gradients;
}

Tensor laid_out(const Tensor& seed, const Slot& slot) {
    if (seed.strides().equals(slot.strides) && seed.scalar_type() == slot.dtype) return seed;
    Tensor t = empty_strided(slot.sizes, slot.strides, TensorOptions(slot.dtype));
    t.copy_(seed);
    return t;
}

bool same_bits(const Tensor& a, const Tensor& b) {
    if (!a.defined() || !b.defined()) return a.defined() == b.defined();
    if (!a.sizes().equals(b.sizes()) || a.scalar_type() != b.scalar_type()) return false;
    const Tensor x = a.detach().contiguous(), y = b.detach().contiguous();
    return x.numel() == 0 || std::memcmp(x.data_ptr(), y.data_ptr(), x.nbytes()) == 0;
}

} // namespace reel::jit::replay
