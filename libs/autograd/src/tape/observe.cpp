// Observers and pins: telling and asking them.
#include <reel/autograd/detail/notify_observers.hpp>
#include <reel/autograd/detail/pin.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <mutex>
#include <string_view>
#include <unordered_map>

#include "tape/accumulate_grad.hpp"
#include "tape/anomaly.hpp"
#include "tape/autograd_meta.hpp"
#include "tape/modes.hpp"
#include "tape/node_extras.hpp"

namespace reel::autograd {

CallSite CallSite::here() { return CallSite(current_frames(1)); }
std::string CallSite::text() const { return frames_.empty() ? std::string() : user_place(frames_); }
CallSite creation_site(const Node& node) {
    const NodeExtras* const e = node.extras();
    return e && e->notes ? CallSite(e->notes->frames) : CallSite();
}
Tensor leaf_of(const Node& node) {
    return node.is_accumulator() ? static_cast<const AccumulateGrad&>(node).variable() : Tensor();
}

const char* to_string(CutKind kind) {
    switch (kind) {
    case CutKind::Detach:
        return "detach";
    case CutKind::Data:
        return "data()";
    case CutKind::NoGrad:
        return "no_grad";
    case CutKind::NotDifferentiable:
        return "not differentiable";
    case CutKind::Number:
        return "item()";
    }
    return "";
}
const char* to_string(HookKind kind) {
    switch (kind) {
    case HookKind::ForwardPre:
        return "forward pre-hook";
    case HookKind::Forward:
        return "forward hook";
    case HookKind::BackwardPre:
        return "full backward pre-hook";
    case HookKind::FullBackward:
        return "full backward hook";
    case HookKind::LegacyBackward:
        return "legacy backward hook";
    case HookKind::Tensor:
        return "tensor hook";
    case HookKind::NodePre:
        return "node pre-hook";
    case HookKind::NodePost:
        return "node post-hook";
    case HookKind::PostAccumulate:
        return "post-accumulate-grad hook";
    }
    return "";
}

std::vector<HookRef> hooks_on(const Tensor& t) {
    std::vector<HookRef> r;
    const auto add = [&](const auto& table, HookKind kind, const void* owner, std::uint32_t output_nr) {
        if (const auto records = table ? table->snapshot() : nullptr)
            for (const auto& record : *records) r.push_back({kind, record.id, owner, output_nr});
    };
    const TensorImpl& impl = t.checked();
    if (const NodePtr node = t.grad_fn()) {
        if (NodeExtras* e = node->extras())
            if (const auto* output = e->hooks_of(impl.output_nr()))
                add(output->table, HookKind::Tensor, node.get(), output->output_nr);
    } else if (const AutogradMeta* meta = impl.meta()) {
        add(meta->hooks, HookKind::Tensor, &impl, 0);
        add(meta->post_accumulate, HookKind::PostAccumulate, &impl, 0);
    }
    return r;
}

Observer::~Observer() = default;
ObserverScope::ObserverScope(Observer& observer) : observer_(&observer) {
    tape_modes().watchers.push_back(&observer);
    update_observers();
}
ObserverScope::~ObserverScope() {
    auto& watchers = tape_modes().watchers;
    const auto it = std::find(watchers.rbegin(), watchers.rend(), observer_);
    if (it != watchers.rend()) watchers.erase(std::next(it).base());
    update_observers();
}

namespace {
/// Calls every observer; what they do themselves stays unobserved.
template <class F> void tell(F fn) {
    TapeModes& m = tape_modes();
    if (m.telling || m.watchers.empty()) return;
    m.telling = true;
    struct Reset {
        bool& flag;
        ~Reset() { flag = false; }
    } reset{m.telling};
    const auto watchers = m.watchers; // one may leave its own scope
    for (Observer* o : watchers) fn(*o);
}
} // namespace

namespace impl {

bool has_observers() { return !tape_modes().watchers.empty() && !tape_modes().telling; }
void note_cut(CutKind kind, const char* op, const Tensor& input) {
    if (!input.defined() || !input.impl()->requires_grad() || get_current_node()) return;
    tell([&](Observer& o) { o.value_cut(kind, op, input); });
}
void note_cut_by(const void* caller, CutKind kind, const char* op, const Tensor& input) {
    if (!has_observers()) return;
    Dl_info info;
    if (dladdr(caller, &info) && info.dli_fname) {
        const std::string_view file(info.dli_fname);
        if (file.substr(file.rfind('/') + 1).starts_with("libreel")) return;
    }
    note_cut(kind, op, input);
}
void note_grad_cleared(const Tensor& leaf, const char* by, bool to_none) {
    tell([&](Observer& o) { o.grad_cleared(leaf, by, to_none); });
}
void note_module_entered(const void* module, const variable_list& inputs) {
    tell([&](Observer& o) { o.module_entered(module, inputs); });
}
void note_module_left(const void* module, const variable_list* outputs) {
    tell([&](Observer& o) { o.module_left(module, outputs); });
}
void note_hook_registered(const HookRef& hook) {
    tell([&](Observer& o) { o.hook_registered(hook); });
}
void note_hook_removed(std::uint64_t id) {
    tell([&](Observer& o) { o.hook_removed(id); });
}
void note_node_runs(Node& node, GradList& grads) {
    tell([&](Observer& o) { o.node_runs(node, grads); });
}
void note_node_ran(Node& node, GradList& grads) {
    tell([&](Observer& o) { o.node_ran(node, grads); });
}
void note_written(const Tensor& t, const char* op) {
    tell([&](Observer& o) { o.written(t, op); });
}
void HookFiring::begin(const HookRef& hook, const variable_list& tensors) {
    hook_ = hook;
    active_ = true;
    tell([&](Observer& o) { skip_ = !o.hook_fires(hook, get_current_node(), tensors) || skip_; });
}
void HookFiring::end(bool replaced, const variable_list& result) {
    tell([&](Observer& o) { o.hook_returned(hook_, replaced, result); });
}

std::atomic<unsigned> pins{0};
namespace {
struct Pins {
    std::mutex mutex;
    std::unordered_multimap<const void*, PinKeeper*> by_object;
};
Pins& table() {
    static Pins* pins = new Pins; // outlives every guard
    return *pins;
}
std::vector<PinKeeper*> keepers_of(const void* object) {
    Pins& p = table();
    std::lock_guard lock(p.mutex);
    std::vector<PinKeeper*> r;
    for (auto [it, end] = p.by_object.equal_range(object); it != end; ++it) r.push_back(it->second);
    return r;
}
} // namespace
void pin(const void* object, PinKeeper& keeper) {
    Pins& p = table();
    std::lock_guard lock(p.mutex);
    p.by_object.emplace(object, &keeper);
    pins.store(unsigned(p.by_object.size()), std::memory_order_relaxed);
}
void unpin(PinKeeper& keeper) {
    Pins& p = table();
    std::lock_guard lock(p.mutex);
    std::erase_if(p.by_object, [&](const auto& entry) { return entry.second == &keeper; });
    pins.store(unsigned(p.by_object.size()), std::memory_order_relaxed);
}
void ask_before_write(const Tensor& t, const char* op) {
    if (t.defined())
        for (PinKeeper* k : keepers_of(t.storage().get())) k->on_write(t, op);
}
bool ask_before_sweep(const Tensor& t, const char* what) {
    bool leave = false;
    if (t.defined())
        for (PinKeeper* k : keepers_of(t.storage().get())) leave = k->on_sweep(t, what) || leave;
    return leave;
}
bool ask_before_mode(const void* object, bool on) {
    bool leave = false;
    for (PinKeeper* k : keepers_of(object)) leave = k->on_mode(object, on) || leave;
    return leave;
}

} // namespace impl

PinKeeper::~PinKeeper() = default;

} // namespace reel::autograd
