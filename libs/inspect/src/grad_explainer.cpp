// Reading a recording backwards from a parameter.
#include "grad_explainer.hpp"

#include <algorithm>

#include <reel/autograd/op.hpp>
#include <reel/nn/modules/parameter_list.hpp>

namespace reel::inspect {

using autograd::Edge;

namespace {
constexpr std::size_t ends_named = 3;

std::string at(const std::string& place) { return place.empty() ? std::string() : ", at " + place; }
bool anything_arrived(const RecorderData::NodeRun& run) {
    return std::find(run.arrived.begin(), run.arrived.end(), true) != run.arrived.end();
}
/// Does some schema of the op declare a gradient?
bool is_differentiable(const std::string& name) {
    const ops::Op* op = ops::registry().find(name);
    return op && std::any_of(op->schemas.begin(), op->schemas.end(),
                             [](const ops::Schema& s) { return s.gradient != ops::Gradient::None; });
}
const TensorImpl* leaf_impl(const Node& n) {
    const Tensor t = autograd::leaf_of(n);
    return t.defined() ? t.impl().get() : nullptr;
}
} // namespace

GradExplainer::GradExplainer(const nn::Module& model, const RecorderData& data, std::uint64_t since)
    : data_(data), since_(since) {
    std::unordered_map<const Node*, std::vector<const Node*>> consumers;
    std::vector<const Node*> order; // as forward made them
    for (std::size_t i = 0; i < data.nodes.size(); ++i) {
        const Node* n = data.nodes[i].get();
        if (data.made_at[i] <= since && !run_of(n)) continue;
        order.push_back(n);
        for (std::size_t k = 0; k < n->next_edges().size(); ++k) {
            const Edge& e = n->next_edge(k);
            if (!e.is_valid()) continue;
            if (const TensorImpl* leaf = leaf_impl(*e.function)) of_leaf_[leaf].push_back({n, k});
            else consumers[e.function.get()].push_back(n);
        }
    }
    std::unordered_map<std::string, const nn::Module*> users; // by path: of lists, which are not called, who has them
    for (const auto& [path, m] : model.module_items("", false)) {
        const bool list =
            dynamic_cast<const nn::ParameterListImpl*>(m) || dynamic_cast<const nn::ParameterDictImpl*>(m);
        const std::size_t dot = path.rfind('.');
        const auto parent = users.find(dot == std::string::npos ? std::string() : path.substr(0, dot));
        const nn::Module* user = list && !path.empty() && parent != users.end() ? parent->second : m;
        users.emplace(path, user);
        for (const auto& p : m->own_parameters())
            if (p.value().defined()) owners_[p.value().impl().get()].push_back(user);
    }
    for (const auto& call : data.calls)
        if (call.at > since) {
            Called& c = called_[call.module];
            c.off = c.off || !call.grad_mode;
            c.site = &call.site;
        }
    for (std::size_t i = 0; i < data.cuts.size(); ++i) {
        const auto& c = data.cuts[i];
        if (c.at <= since) continue;
        if (c.leaf) leaf_cuts_[c.leaf.get()] = std::ptrdiff_t(i);
        if (c.source) {
            Downstream& d = downstream_[c.source.get()];
            (c.kind == CutKind::Number ? d.number : d.cut) = std::ptrdiff_t(i);
        }
    }
    for (std::size_t i = 0; i < data.hooks.size(); ++i) {
        const HookEvent& h = data.hooks[i];
        if (h.at <= since || h.what != HookEvent::What::Fired || !h.returned_none || !h.running) continue;
        if (const TensorImpl* leaf = leaf_impl(*h.running)) leaf_none_[leaf] = std::ptrdiff_t(i);
        else downstream_[h.running.get()].none = std::ptrdiff_t(i);
    }
    // What was made from a node was made later: from the last one backwards everything is known in time.
    for (auto n = order.rbegin(); n != order.rend(); ++n) {
        Downstream& d = downstream_[*n];
        if (const auto* run = run_of(*n)) {
            d.ran = true;
            if (anything_arrived(*run)) take_later(d.last, *n);
        }
        if (const auto made = consumers.find(*n); made != consumers.end())
            for (const Node* c : made->second) d.add(downstream_[c], *this);
        else d.ends = {*n};
    }
}

const RecorderData::NodeRun* GradExplainer::run_of(const Node* n) const {
    const auto it = data_.runs.find(n);
    return it != data_.runs.end() && it->second.at > since_ ? &it->second : nullptr;
}
void GradExplainer::take_later(const Node*& last, const Node* other) const {
    if (other && (!last || run_of(other)->at > run_of(last)->at)) last = other;
}
void GradExplainer::Downstream::add(const Downstream& other, const GradExplainer& all) {
    ran = ran || other.ran;
    all.take_later(last, other.last);
    cut = std::max(cut, other.cut);
    number = std::max(number, other.number);
    none = std::max(none, other.none);
    for (const Node* n : other.ends)
        if (ends.size() < ends_named && std::find(ends.begin(), ends.end(), n) == ends.end()) ends.push_back(n);
}
const GradExplainer::Downstream& GradExplainer::downstream(const Node* n) const {
    static const Downstream nothing;
    const auto it = downstream_.find(n);
    return it == downstream_.end() ? nothing : it->second;
}

void GradExplainer::sources(const TensorImpl* leaf, std::uint64_t cleared, GradEntry& e) const {
    std::string from;
    if (const auto uses = of_leaf_.find(leaf); uses != of_leaf_.end())
        for (const Use& u : uses->second)
            if (const auto* run = run_of(u.node)) {
                if (run->at < cleared || (u.edge < run->produced.size() && !run->produced[u.edge])) continue;
                e.nodes.push_back(data_.describe(*u.node));
                from += (from.empty() ? ", from " : "; ") + e.nodes.back();
            }
    if (from.empty()) from = ", from outside of the recording: earlier, or on another thread";
    e.text += from;
}

void GradExplainer::explain(const TensorImpl* leaf, GradEntry& e) const {
    const auto uses = of_leaf_.find(leaf);
    if (uses == of_leaf_.end()) return unused(leaf, e);
    if (data_.runs.empty()) {
        e.fate = GradFate::NoBackward;
        e.text = "no gradient: no backward pass ran while the recorder was open";
        return;
    }
    died(leaf, uses->second, e);
}

void GradExplainer::cut(const RecorderData::CutEvent& c, GradEntry& e) const {
    e.fate = GradFate::Cut;
    e.cause = c.kind == CutKind::NoGrad ? c.op + " under no_grad" : c.op;
    e.place = c.site.text();
    std::string how;
    switch (c.kind) {
    case CutKind::NoGrad:
        how = c.op + ", which ran while grad mode was off (NoGradGuard)";
        break;
    case CutKind::NotDifferentiable:
        how = c.op == "to_copy"
                  ? "a conversion to a dtype that carries no gradient"
                  : c.op + (is_differentiable(c.op) ? ", whose result is of a dtype that carries no gradient"
                                                    : ", which is not differentiable: its result carries no gradient");
        break;
    case CutKind::Number:
        how = "item(), which makes a number of it";
        break;
    default:
        how = c.op + "()";
    }
    e.text = "no gradient: cut by " + how;
    if (c.source) {
        e.nodes.push_back(data_.describe(*c.source));
        e.text += ", applied to the result of " + e.nodes.back();
    }
    if (!c.module_path.empty()) e.text += ", inside " + c.module_path;
    e.text += at(e.place);
}

/// No op recorded this leaf.
void GradExplainer::unused(const TensorImpl* leaf, GradEntry& e) const {
    if (const auto c = leaf_cuts_.find(leaf); c != leaf_cuts_.end()) return cut(data_.cuts[std::size_t(c->second)], e);
    std::string called, modules;
    bool off = false;
    if (const auto owners = owners_.find(leaf); owners != owners_.end())
        for (const nn::Module* m : owners->second) {
            std::string path = data_.path_of(m);
            if (path.empty()) path = m->repr_name();
            modules += (modules.empty() ? "" : ", ") + path;
            if (const auto c = called_.find(m); c != called_.end()) {
                called = path;
                off = off || c->second.off;
                e.place = c->second.site->text();
            }
        }
    if (called.empty()) {
        e.fate = GradFate::NeverCalled;
        e.text = "no gradient: " + (modules.empty() ? std::string("its module") : modules) +
                 " was never called on the recorder's thread";
    } else if (off) {
        e.fate = GradFate::Cut;
        e.cause = "no_grad";
        e.text = "no gradient: " + called + " was called while grad mode was off (NoGradGuard)" + at(e.place);
    } else {
        e.fate = GradFate::Unused;
        e.text = "no gradient: " + called + " was called, but no operation used this parameter" + at(e.place);
    }
}

/// Ops recorded the leaf, yet nothing arrived.
void GradExplainer::died(const TensorImpl* leaf, const Uses& uses, GradEntry& e) const {
    Downstream d;
    for (const Use& u : uses) d.add(downstream(u.node), *this);
    if (const auto none = leaf_none_.find(leaf); none != leaf_none_.end()) d.none = std::max(d.none, none->second);
    if (d.ran) return lost_on_the_way(d, uses, e);
    for (const std::ptrdiff_t c : {d.cut, d.number}) // item() is mostly for printing: the last guess
        if (c >= 0) return cut(data_.cuts[std::size_t(c)], e);
    e.fate = GradFate::DeadEnd;
    std::string ends;
    for (const Node* n : d.ends) {
        e.nodes.push_back(data_.describe(*n));
        ends += (ends.empty() ? "" : "; ") + e.nodes.back();
        if (e.place.empty()) e.place = autograd::creation_site(*n).text();
    }
    e.text = "no gradient: its result is not on the path to the loss; it ends at " + ends;
}

/// Did the latest pass end before it was through, by an error or because it was stopped?
bool GradExplainer::interrupted(GradEntry& e) const {
    const auto* pass = data_.latest_step().pass;
    const Node* node = nullptr;
    for (const auto& [n, run] : data_.runs)
        if (run.at >= pass->begin && !run.finished && (!node || run.at > data_.runs.at(node).at)) node = n;
    const HookEvent* hook = nullptr;
    for (const HookEvent& h : data_.hooks)
        if (h.at >= pass->begin && h.pass >= 0 && h.what == HookEvent::What::Fired && !h.returned && h.running)
            hook = &h;
    if (!node && !hook) return false;
    e.fate = GradFate::Interrupted;
    e.text = "no gradient: the pass ended before it came here: ";
    if (hook) {
        const std::string& owner = data_.path_of(hook->hook.owner);
        e.cause = str(autograd::to_string(hook->hook.kind), " #", hook->hook.id, owner.empty() ? "" : " of ", owner);
        e.nodes.push_back(data_.describe(*hook->running));
        e.text += e.cause + " threw, at " + e.nodes.back();
    } else {
        e.nodes.push_back(data_.describe(*node));
        e.text += "an error, or a stop, at " + e.nodes.back();
    }
    return true;
}

/// The pass came by: who sent nothing on?
void GradExplainer::lost_on_the_way(const Downstream& d, const Uses& uses, GradEntry& e) const {
    if (d.none >= 0) {
        const HookEvent& h = data_.hooks[std::size_t(d.none)];
        e.fate = GradFate::HookNone;
        const std::string& owner = data_.path_of(h.hook.owner);
        e.cause = str(autograd::to_string(h.hook.kind), " #", h.hook.id, owner.empty() ? "" : " of ", owner);
        e.nodes.push_back(data_.describe(*h.running));
        e.text = "no gradient: " + e.cause + " returned none for it, at " + e.nodes.back();
        return;
    }
    if (interrupted(e)) return;
    if (!d.last) {
        e.fate = GradFate::NoneReturned;
        e.text = "no gradient: none came down from the loss";
        return;
    }
    // An unrestricted pass visits what lies behind, with or without a gradient.
    const auto& edges = d.last->next_edges();
    const auto& produced = run_of(d.last)->produced;
    bool went_on = false, handed_out = false;
    for (std::size_t i = 0; i < edges.size(); ++i) {
        if (!edges[i].is_valid()) continue;
        const bool ours =
            std::any_of(uses.begin(), uses.end(), [&](const Use& u) { return u.node == d.last && u.edge == i; });
        if (!ours && downstream(edges[i].function.get()).last != d.last) continue;
        went_on = went_on || run_of(edges[i].function.get());
        handed_out = handed_out || (ours && i < produced.size() && produced[i]);
    }
    e.nodes.push_back(data_.describe(*d.last));
    e.place = autograd::creation_site(*d.last).text();
    if (!went_on) {
        e.fate = GradFate::NotRequested;
        e.text = "no gradient: the pass came to " + e.nodes.back() +
                 (handed_out ? " and handed the result to the caller of grad(), which leaves .grad alone"
                             : " and went no further; grad(), or backward() with inputs, asked for other tensors");
    } else {
        e.fate = GradFate::NoneReturned;
        e.text = "no gradient: " + e.nodes.back() + " returned none for it";
    }
}

} // namespace reel::inspect
