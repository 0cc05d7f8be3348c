// Saving and restoring tensors for backward.
#include <reel/autograd/saved_variable.hpp>

#include <mutex>

#include <reel/autograd/detail/spin_lock.hpp>
#include <reel/autograd/error.hpp>
#include <reel/autograd/grad_mode.hpp>

#include "tape/modes.hpp"
#include "tensor/raw.hpp"

namespace reel::autograd {

struct SavedHooks {
    UnpackHook unpack;
    Value packed;
    NodePtr grad_fn; // the original's place on the tape, for inputs
    std::uint32_t output_nr = 0;
    bool requires_grad = false, from_scope = false;
    Tensor handed_back; // the node's own output, which `packed` is or holds, without its history
};

namespace {
Value run_pack(const PackHook& pack, const Tensor& t) {
    NoGradGuard guard;
    const std::uint32_t before = t.impl()->version();
    Value packed = pack(t);
    REEL_CHECK(t.impl()->version() == before,
               "saved-tensor pack hook modified its argument in place; return a new value instead");
    return packed;
}
/// `v` with `to` in place of `from`, also in tuples, lists and dicts; `v` itself where `from` does not occur.
Value with_replaced(const Value& v, const Tensor& from, const Tensor& to, int depth = 0) {
    if (v.isTensor()) return v.toTensor().is_same(from) ? Value(to) : v;
    if (depth > 100 || !(v.isSequence() || v.isGenericDict())) return v; // lists may hold themselves
    bool found = false;
    const auto next = [&](const Value& e) {
        Value r = with_replaced(e, from, to, depth + 1);
        found = found || !r.is(e);
        return r;
    };
    if (v.isGenericDict()) {
        ValueDict items;
        for (const auto& [key, value] : v.toGenericDict()) items.set(key, next(value));
        return found ? Value(std::move(items)) : v;
    }
    std::vector<Value> elements;
    for (const Value& e : v.elements()) elements.push_back(next(e));
    if (!found) return v;
    return v.isTuple() ? Value::tuple(std::move(elements)) : Value::list(std::move(elements));
}
} // namespace

void SavedVariable::keep(const Tensor& t, bool is_output) {
    is_output_ = is_output;
    if (!t.defined()) return;
    REEL_CHECK(!t.is_inference(),
               "an inference tensor cannot be saved for backward; clone it outside of inference mode first");
    version_ = t.impl()->version();
    requires_grad_ = t.requires_grad();
    output_nr_ = t.impl()->output_nr();
    is_leaf_ = !t.impl()->grad_fn_unchecked();
    TapeModes* modes = reel::detail::thread_modes.observers ? &tape_modes() : nullptr;
    if (modes && !modes->saved_hooks.empty()) {
        const TapeModes::Pair pair = modes->saved_hooks.back();
        hooks_ = std::make_unique<SavedHooks>();
        hooks_->unpack = pair.unpack;
        hooks_->from_scope = true;
        hooks_->requires_grad = requires_grad_;
        if (!is_output) {
            const Edge e = gradient_edge(t);
            hooks_->grad_fn = e.function;
            hooks_->output_nr = e.input_nr;
        }
        hooks_->packed = run_pack(pair.pack, t);
        saved_ = true;
        if (!is_output) return;
        // The node's own output in what is handed back would hold the node.
        const Tensor bare = reel::detail::alias_raw(t);
        Value kept = with_replaced(hooks_->packed, t, bare);
        if (kept.is(hooks_->packed)) return;
        hooks_->packed = std::move(kept);
        hooks_->handed_back = bare;
        return;
    }
    // A node's own output is kept without its history (E-40).
    data_ = is_output ? reel::detail::alias_raw(t) : t;
    saved_ = true; // not before: hooks may throw
}
SavedVariable::SavedVariable() noexcept = default;
SavedVariable::SavedVariable(const Tensor& t, bool is_output) { keep(t, is_output); }
SavedVariable::SavedVariable(SavedVariable&&) noexcept = default;
SavedVariable& SavedVariable::operator=(SavedVariable&&) noexcept = default;
SavedVariable::~SavedVariable() = default;

namespace {
/// Passes of several threads over one graph: one may release what another is about to unpack (E-76). A lock for each
/// saved tensor would lengthen every node; these are shared by address.
SpinLock& lock_of(const SavedVariable* s) {
    struct alignas(64) Padded {
        SpinLock lock;
    };
    static Padded locks[64];
    return locks[(reinterpret_cast<std::uintptr_t>(s) / sizeof(SavedVariable)) % std::size(locks)].lock;
}
} // namespace

void SavedVariable::reset_data() {
    Tensor data; // destroyed without the lock
    std::unique_ptr<SavedHooks> hooks;
    const std::lock_guard lock(lock_of(this));
    data = std::move(data_);
    hooks = std::move(hooks_);
    released_ = saved_;
}

Tensor SavedVariable::unpack(Node* owner) const {
    if (!saved_) return {};
    std::unique_lock lock(lock_of(this));
    REEL_CHECK(!released_, "backward through the graph a second time: the saved tensors of ",
               owner ? owner->name() : std::string("this node"),
               " were released after the first pass; pass retain_graph=true to the first backward or grad call");
    if (hooks_) {
        const SavedHooks hooks = *hooks_;
        lock.unlock(); // for the user's function
        Value packed = hooks.packed;
        if (hooks.handed_back.defined() && owner && requires_grad_) {
            const Tensor own = reel::detail::alias_raw(hooks.handed_back);
            own.impl()->set_history(owner->getptr(), output_nr_);
            packed = with_replaced(packed, hooks.handed_back, own);
        }
        Tensor t = hooks.unpack(packed);
        REEL_CHECK_TYPE(t.defined(), "saved-tensor unpack hook must return a Tensor, got an undefined one");
        if (!requires_grad_) return t;
        Tensor restored = reel::detail::alias_raw(t);
        if (is_output_ && owner) restored.impl()->set_history(owner->getptr(), output_nr_);
        else if (hooks.grad_fn && !hooks.grad_fn->is_accumulator())
            restored.impl()->set_history(hooks.grad_fn, hooks.output_nr);
        else if (hooks.grad_fn) restored.impl()->set_history(hooks.grad_fn, 0);
        return restored;
    }
    const std::uint32_t now = data_.impl()->version();
    if (now != version_) {
        std::string which;
        if (is_output_ && owner) which = str(", which is output ", output_nr_, " of ", owner->name());
        else if (data_.impl()->grad_fn_unchecked())
            which =
                str(", which is output ", data_.impl()->output_nr(), " of ", data_.impl()->grad_fn_unchecked()->name());
        REEL_THROW(
            Error, "a tensor needed for backward was modified by an in-place operation: ", data_.toString(), " ",
            data_.sizes(), which, " is at version ", now, "; expected version ", version_,
            " instead. Hint: DetectAnomalyGuard names the forward operation that saved it; clone the tensor before "
            "modifying it");
    }
    if (is_output_) {
        if (!requires_grad_ && !owner) return data_;
        Tensor t = reel::detail::alias_raw(data_);
        if (owner && isDifferentiableType(t.scalar_type())) t.impl()->set_history(owner->getptr(), output_nr_);
        return t;
    }
    REEL_CHECK(!requires_grad_ || is_leaf_ || data_.impl()->grad_fn_unchecked() || data_.impl()->is_view(),
               "a tensor needed for backward was detached in place (detach_) after it was used; use detach() instead");
    return data_;
}

void SavedVariable::register_hooks(PackHook pack, UnpackHook unpack) {
    REEL_CHECK(saved_, "register_hooks: nothing was saved here");
    REEL_CHECK(!released_, "register_hooks: the saved tensor was already released");
    REEL_CHECK(!hooks_, "register_hooks: this saved tensor already has hooks");
    auto h = std::make_unique<SavedHooks>();
    h->unpack = std::move(unpack);
    h->requires_grad = requires_grad_;
    if (!is_output_) {
        const Edge e = gradient_edge(data_);
        h->grad_fn = e.function;
        h->output_nr = e.input_nr;
    }
    h->packed = run_pack(pack, data_.detach());
    hooks_ = std::move(h);
    data_.reset();
}

} // namespace reel::autograd
