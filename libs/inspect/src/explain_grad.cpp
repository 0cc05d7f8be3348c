// Reading a recording backwards from a parameter.
#include <reel/inspect/explain_grad.hpp>

#include <algorithm>
#include <cmath>
#include <ostream>

#include <boost/json.hpp>

#include <reel/autograd/ops.hpp>

#include "recorder_data.hpp"

namespace reel::inspect {

using autograd::Edge;

const char* to_string(GradFate fate) {
    switch (fate) {
    case GradFate::Got:
        return "got";
    case GradFate::Frozen:
        return "frozen";
    case GradFate::NeverCalled:
        return "never called";
    case GradFate::Unused:
        return "unused";
    case GradFate::DeadEnd:
        return "dead end";
    case GradFate::Cut:
        return "cut";
    case GradFate::Cleared:
        return "cleared";
    case GradFate::HookNone:
        return "hook returned none";
    case GradFate::NoneReturned:
        return "none returned";
    case GradFate::NotRequested:
        return "not requested";
    case GradFate::NoBackward:
        return "no backward";
    case GradFate::Unknown:
        return "unknown";
    }
    return "";
}

namespace {

bool is_leaf(const Node& n, const TensorImpl* leaf) {
    const Tensor t = autograd::leaf_of(n);
    return t.defined() && t.impl().get() == leaf;
}
std::string at(const std::string& place) { return place.empty() ? std::string() : ", at " + place; }

/// The recording as a graph that can be walked forwards.
class Explainer {
public:
    Explainer(const nn::Module& model, const RecorderData& data) : data_(data) {
        for (const NodePtr& n : data.nodes)
            for (std::size_t i = 0; i < n->next_edges().size(); ++i) {
                const Edge& e = n->next_edge(i);
                if (!e.is_valid()) continue;
                if (const Tensor leaf = autograd::leaf_of(*e.function); leaf.defined())
                    of_leaf_[leaf.impl().get()].push_back({n.get(), i});
                else consumers_[e.function.get()].push_back({n.get(), i});
            }
        for (const auto& [path, m] : model.module_items("", false))
            for (const auto& p : m->own_parameters())
                if (p.value().defined()) owners_[p.value().impl().get()].push_back(m);
    }

    void explain(const Tensor& p, GradEntry& e) {
        const TensorImpl* leaf = p.impl().get();
        if (e.fate == GradFate::Got) return sources(leaf, e);
        if (e.fate == GradFate::Frozen || cleared(leaf, e)) return;
        const auto uses = of_leaf_.find(leaf);
        if (uses == of_leaf_.end()) return unused(leaf, e);
        if (data_.runs.empty()) {
            e.fate = GradFate::NoBackward;
            e.text = "no gradient: no backward pass ran while the recorder was open";
            return;
        }
        died(leaf, uses->second, e);
    }

private:
    struct Use {
        const Node* node;
        std::size_t edge;
    };
    using Uses = std::vector<Use>;

    bool ran(const Node* n) const { return data_.runs.count(n) > 0; }

    bool anything_arrived(const Node* n) const {
        const auto& arrived = data_.runs.at(n).arrived;
        return std::find(arrived.begin(), arrived.end(), true) != arrived.end();
    }

    void sources(const TensorImpl* leaf, GradEntry& e) {
        std::string from;
        const auto uses = of_leaf_.find(leaf);
        if (uses != of_leaf_.end())
            for (const Use& u : uses->second)
                if (ran(u.node)) {
                    const auto& produced = data_.runs.at(u.node).produced;
                    if (u.edge < produced.size() && !produced[u.edge]) continue;
                    e.nodes.push_back(data_.describe(*u.node));
                    from += (from.empty() ? ", from " : "; ") + e.nodes.back();
                }
        if (from.empty()) from = ", from before the recording";
        e.text += from;
    }

    bool cleared(const TensorImpl* leaf, GradEntry& e) {
        const auto got = data_.accumulated.find(leaf);
        if (got == data_.accumulated.end()) return false;
        e.fate = GradFate::Cleared;
        for (auto c = data_.clears.rbegin(); c != data_.clears.rend(); ++c)
            if (c->leaf == leaf && c->at > got->second) {
                e.cause = c->by;
                e.place = c->site.text();
                e.text = "no gradient any more: cleared by " + e.cause + at(e.place) +
                         "; look at gradients between backward and the next zero_grad";
                return true;
            }
        e.cause = "assignment";
        e.text = "no gradient any more: it got one, and something assigned .grad since";
        return true;
    }

    void cut(const RecorderData::CutEvent& c, GradEntry& e) {
        e.fate = GradFate::Cut;
        e.cause = c.kind == CutKind::NoGrad ? c.op + " under no_grad" : c.op;
        e.place = c.site.text();
        std::string how;
        switch (c.kind) {
        case CutKind::NoGrad:
            how = c.op + " ran while grad mode was off (NoGradGuard)";
            break;
        case CutKind::NotDifferentiable:
            how = c.op == "to_copy" ? "a conversion to a dtype that carries no gradient"
                                    : c.op + ", whose result carries no gradient";
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
    void unused(const TensorImpl* leaf, GradEntry& e) {
        for (auto c = data_.cuts.rbegin(); c != data_.cuts.rend(); ++c)
            if (c->leaf == leaf) return cut(*c, e);
        std::string called, modules;
        bool off = false;
        for (const nn::Module* m : owners_[leaf]) {
            const std::string& path = data_.path_of(m);
            modules += (modules.empty() ? "" : ", ") + path;
            for (const auto& call : data_.calls)
                if (call.module == m) {
                    called = path;
                    off = off || !call.grad_mode;
                    e.place = call.site.text();
                }
        }
        if (called.empty()) {
            e.fate = GradFate::NeverCalled;
            e.text = "no gradient: " + (modules.empty() ? std::string("its module") : modules) + " was never called";
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
    void died(const TensorImpl* leaf, const Uses& uses, GradEntry& e) {
        std::vector<const Node*> order;
        std::unordered_set<const Node*> seen;
        for (const Use& u : uses)
            if (seen.insert(u.node).second) order.push_back(u.node);
        for (std::size_t i = 0; i < order.size(); ++i)
            if (const auto it = consumers_.find(order[i]); it != consumers_.end())
                for (const Use& u : it->second)
                    if (seen.insert(u.node).second) order.push_back(u.node);
        const bool reached = std::any_of(order.begin(), order.end(), [&](const Node* n) { return ran(n); });
        if (reached) return lost_on_the_way(order, leaf, uses, e);
        for (const bool numbers : {false, true}) // item() is mostly for printing: the last guess
            for (auto c = data_.cuts.rbegin(); c != data_.cuts.rend(); ++c)
                if (c->source && seen.count(c->source) && (c->kind == CutKind::Number) == numbers) return cut(*c, e);
        e.fate = GradFate::DeadEnd;
        std::string ends;
        for (const Node* n : order)
            if (!consumers_.count(n)) {
                e.nodes.push_back(data_.describe(*n));
                ends += (ends.empty() ? "" : "; ") + e.nodes.back();
                if (e.place.empty()) e.place = autograd::creation_site(*n).text();
            }
        e.text = "no gradient: its result is not on the path to the loss; it ends at " + ends;
    }

    /// The pass came by: who sent nothing on?
    void lost_on_the_way(const std::vector<const Node*>& order, const TensorImpl* leaf, const Uses& uses,
                         GradEntry& e) {
        std::unordered_set<const Node*> path(order.begin(), order.end());
        const Node* last = nullptr; // the node of the path that ran latest
        for (const Node* n : order)
            if (ran(n) && anything_arrived(n) && (!last || data_.runs.at(n).at > data_.runs.at(last).at)) last = n;
        for (auto h = data_.hooks.rbegin(); h != data_.hooks.rend(); ++h)
            if (h->what == RecorderData::HookEvent::What::Fired && h->returned_none && h->running &&
                (path.count(h->running.get()) || is_leaf(*h->running, leaf))) {
                e.fate = GradFate::HookNone;
                const std::string& owner = data_.path_of(h->hook.owner);
                e.cause = str(autograd::to_string(h->hook.kind), " #", h->hook.id, owner.empty() ? "" : " of ", owner);
                e.nodes.push_back(data_.describe(*h->running));
                e.text = "no gradient: " + e.cause + " returned none for it, at " + e.nodes.back();
                return;
            }
        bool went_on = false; // an unrestricted pass visits what lies behind, with or without a gradient
        for (std::size_t i = 0; last && i < last->next_edges().size(); ++i) {
            const Edge& edge = last->next_edge(i);
            const bool ours =
                edge.is_valid() &&
                (path.count(edge.function.get()) ||
                 std::any_of(uses.begin(), uses.end(), [&](const Use& u) { return u.node == last && u.edge == i; }));
            went_on = went_on || (ours && ran(edge.function.get()));
        }
        if (!last) {
            e.fate = GradFate::NoneReturned;
            e.text = "no gradient: none came down from the loss";
            return;
        }
        e.nodes.push_back(data_.describe(*last));
        e.place = autograd::creation_site(*last).text();
        if (!went_on) {
            e.fate = GradFate::NotRequested;
            e.text = "no gradient: the pass came to " + e.nodes.back() +
                     " and went no further; grad(), or backward() with inputs, asked for other tensors";
        } else {
            e.fate = GradFate::NoneReturned;
            e.text = "no gradient: " + e.nodes.back() + " returned none for it";
        }
    }

    const RecorderData& data_;
    std::unordered_map<const Node*, Uses> consumers_;
    std::unordered_map<const TensorImpl*, Uses> of_leaf_;
    std::unordered_map<const TensorImpl*, std::vector<const nn::Module*>> owners_;
};

GradReport explain(const nn::Module& model, const Recorder* recorder) {
    GradReport report;
    std::unique_ptr<Explainer> explainer;
    if (recorder) explainer = std::make_unique<Explainer>(model, recorder->data());
    for (const auto& item : model.named_parameters()) {
        const Tensor& p = item.value();
        if (!p.defined()) continue;
        GradEntry e;
        e.name = item.key();
        e.shape = shape_text(p);
        if (!p.requires_grad()) {
            e.fate = GradFate::Frozen;
            e.text = "frozen: it does not require grad";
            if (p.mutable_grad().defined()) e.text += ", and holds a gradient from before";
        } else if (const Tensor& g = p.mutable_grad(); g.defined()) {
            e.fate = GradFate::Got;
            e.norm = norm_of(g);
            e.finite = std::isfinite(e.norm) || reel::isfinite(g.detach()).all().item<bool>();
            e.text = str("gradient, norm ", e.norm, e.norm == 0 ? " (all zeros)" : "", e.finite ? "" : " (NOT FINITE)");
        } else {
            e.text = "no gradient; open an inspect::Recorder around forward and backward to learn why";
        }
        if (explainer) explainer->explain(p, e);
        report.entries.push_back(std::move(e));
    }
    return report;
}

bool fits(std::string_view pattern, std::string_view name) {
    const std::size_t star = pattern.find('*');
    if (star == std::string_view::npos) return pattern == name;
    if (name.substr(0, star) != pattern.substr(0, star)) return false;
    const std::string_view rest = pattern.substr(star + 1);
    for (std::size_t i = star; i <= name.size(); ++i)
        if (fits(rest, name.substr(i))) return true;
    return false;
}

} // namespace

GradReport explain_grad(const nn::Module& model) { return explain(model, Recorder::current()); }
GradReport explain_grad(const nn::Module& model, const Recorder& recorder) { return explain(model, &recorder); }

const GradEntry* GradReport::find(std::string_view name) const {
    const auto it = std::find_if(entries.begin(), entries.end(), [&](const GradEntry& e) { return e.name == name; });
    return it == entries.end() ? nullptr : &*it;
}
std::size_t GradReport::count(GradFate fate) const {
    return std::size_t(
        std::count_if(entries.begin(), entries.end(), [&](const GradEntry& e) { return e.fate == fate; }));
}
std::string GradReport::text() const {
    std::size_t width = 0;
    for (const GradEntry& e : entries) width = std::max(width, e.name.size());
    std::string r;
    for (const GradEntry& e : entries)
        r += e.name + std::string(width - e.name.size() + 2, ' ') + e.shape + "  " + e.text + '\n';
    return r + str(entries.size(), " parameters: ", count(GradFate::Got), " with a gradient, ", count(GradFate::Frozen),
                   " frozen, ", entries.size() - count(GradFate::Got) - count(GradFate::Frozen), " without\n");
}
std::string GradReport::json() const {
    boost::json::array list;
    boost::json::object counts;
    for (const GradEntry& e : entries) {
        boost::json::object o{{"name", e.name}, {"shape", e.shape}, {"fate", to_string(e.fate)}, {"text", e.text}};
        if (e.fate == GradFate::Got) {
            // JSON has no numbers for NaN and infinity
            if (std::isfinite(e.norm)) o["norm"] = e.norm;
            else o["norm"] = nullptr;
            o["finite"] = e.finite;
        }
        boost::json::array nodes;
        for (const std::string& n : e.nodes) nodes.emplace_back(n);
        o["nodes"] = std::move(nodes);
        if (!e.cause.empty()) o["cause"] = e.cause;
        if (!e.place.empty()) o["place"] = e.place;
        list.push_back(std::move(o));
        counts[to_string(e.fate)] = count(e.fate);
    }
    return boost::json::serialize(boost::json::object{{"parameters", std::move(list)}, {"counts", std::move(counts)}});
}
std::ostream& operator<<(std::ostream& os, const GradReport& report) { return os << report.text(); }

GradExpectationError::~GradExpectationError() = default;

void expect_grads(const nn::Module& model, const GradPolicy& policy) {
    REEL_CHECK_VALUE(policy.min_norm >= 0 && policy.max_norm >= 0 &&
                         (policy.max_norm == 0 || policy.min_norm <= policy.max_norm),
                     "expect_grads: min_norm ", policy.min_norm, " and max_norm ", policy.max_norm,
                     " exclude every gradient; expected 0 <= min_norm <= max_norm (0: no bound)");
    const GradReport report = explain_grad(model);
    const auto one_of = [](const std::vector<std::string>& patterns, const std::string& name) {
        return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& p) { return fits(p, name); });
    };
    for (const auto* patterns : {&policy.frozen, &policy.without})
        for (const std::string& p : *patterns)
            REEL_CHECK_VALUE(std::any_of(report.entries.begin(), report.entries.end(),
                                         [&](const GradEntry& e) { return fits(p, e.name); }),
                             "expect_grads: no parameter fits '", p,
                             "'; see named_parameters() for the names, "
                             "'*' stands for any text");
    std::vector<std::string> bad;
    std::string lines;
    const auto complain = [&](const GradEntry& e, const std::string& what) {
        bad.push_back(e.name);
        lines += "\n  " + e.name + ": " + what + "; " + e.text;
    };
    for (const GradEntry& e : report.entries) {
        if (one_of(policy.frozen, e.name)) {
            if (e.fate != GradFate::Frozen) complain(e, "expected to be frozen");
        } else if (one_of(policy.without, e.name)) {
            if (e.fate == GradFate::Got) complain(e, "expected to have no gradient");
            else if (e.fate == GradFate::Frozen) complain(e, "expected to require grad");
        } else if (e.fate != GradFate::Got) complain(e, "expected a gradient");
        else if (policy.finite && !e.finite) complain(e, "expected finite numbers");
        else if (policy.nonzero && e.norm == 0) complain(e, "expected a gradient other than zero");
        else if (policy.min_norm > 0 && !(e.norm >= policy.min_norm))
            complain(e, str("expected a norm of at least ", policy.min_norm));
        else if (policy.max_norm > 0 && !(e.norm <= policy.max_norm))
            complain(e, str("expected a norm of at most ", policy.max_norm));
    }
    if (!bad.empty())
        throw GradExpectationError(
            str("expect_grads: ", bad.size(), " of ", report.entries.size(), " parameters are not as expected:", lines),
            bad);
}

} // namespace reel::inspect
