// Putting together what became of every gradient.
#include <reel/autograd/ops/pointwise/comparison.hpp>
#include <reel/inspect/explain_grad.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <ostream>

#include <boost/json.hpp>

#include "elements.hpp"
#include "grad_explainer.hpp"
#include "unregistered.hpp"

namespace reel::inspect {

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
    case GradFate::Interrupted:
        return "interrupted";
    case GradFate::NoBackward:
        return "no backward";
    case GradFate::Unknown:
        return "unknown";
    }
    return "";
}

namespace {

std::string at(const std::string& place) { return place.empty() ? std::string() : ", at " + place; }

/// Asks the recording, or its latest step, for the reason.
class Reasons {
public:
    Reasons(const nn::Module& model, const RecorderData& data) : data_(data), latest_(data.latest_step()) {
        whole_ = std::make_unique<GradExplainer>(model, data, 0);
        if (latest_.since > 0) step_ = std::make_unique<GradExplainer>(model, data, latest_.since);
        for (const auto& c : data.clears) clears_[c.leaf.get()] = &c;
    }

    /// Zeros that `zero_grad(false)` and the like left behind are no gradient.
    bool only_zeros_left(const TensorImpl* leaf) const {
        const auto* c = cleared(leaf);
        return c && !c->to_none;
    }
    void explain_gradient(const TensorImpl* leaf, GradEntry& e) const {
        const auto c = clears_.find(leaf);
        whole_->sources(leaf, c == clears_.end() ? 0 : c->second->at, e);
        if (!latest_.pass || got_at(leaf) >= latest_.pass->begin) return;
        e.latest = false;
        GradEntry why;
        explain_none(leaf, why);
        constexpr std::string_view prefix = "no gradient: ";
        if (std::string_view(why.text).starts_with(prefix)) why.text.erase(0, prefix.size());
        e.text += ". Nothing came in the latest pass: " + why.text;
    }
    void explain_missing(const TensorImpl* leaf, GradEntry& e) const {
        const std::uint64_t got = got_at(leaf);
        if (got == 0) return explain_none(leaf, e);
        if (latest_.pass && latest_.pass->begin > got) { // a pass since then had nothing for it
            explain_none(leaf, e);
            if (e.fate != GradFate::NeverCalled && e.fate != GradFate::Unused) return;
        }
        const std::string since = e.text;
        e.fate = GradFate::Cleared;
        if (const auto* c = cleared(leaf)) {
            e.cause = c->by;
            e.place = c->site.text();
            e.text = str(c->to_none ? "no gradient any more" : "only zeros any more", ": cleared by ", e.cause,
                         at(e.place), "; look at gradients between backward and the next zero_grad");
        } else {
            e.cause = "assignment";
            e.text = "no gradient any more: it got one, and something assigned .grad since";
        }
        if (!since.empty()) e.text += ". In the latest step: " + since;
    }

private:
    std::uint64_t got_at(const TensorImpl* leaf) const {
        const auto got = data_.accumulated.find(leaf);
        return got == data_.accumulated.end() ? 0 : got->second;
    }
    /// The last clearing, when nothing has come since.
    const RecorderData::ClearEvent* cleared(const TensorImpl* leaf) const {
        const auto c = clears_.find(leaf);
        return c != clears_.end() && got_at(leaf) > 0 && c->second->at > got_at(leaf) ? c->second : nullptr;
    }
    void explain_none(const TensorImpl* leaf, GradEntry& e) const {
        if (!step_) return whole_->explain(leaf, e);
        step_->explain(leaf, e);
        const bool elsewhere = e.fate == GradFate::NeverCalled || e.fate == GradFate::Unused;
        if (!elsewhere || got_at(leaf) > 0) return;
        GradEntry earlier; // an earlier part of the recording may know more
        earlier.name = e.name;
        earlier.shape = e.shape;
        whole_->explain(leaf, earlier);
        e = std::move(earlier);
    }

    const RecorderData& data_;
    RecorderData::LatestStep latest_;
    std::unique_ptr<GradExplainer> whole_, step_;
    std::unordered_map<const TensorImpl*, const RecorderData::ClearEvent*> clears_;
};

GradReport explain(const nn::Module& model, const Recorder* recorder) {
    GradReport report;
    std::unique_ptr<Reasons> reasons;
    if (recorder) {
        recorder->data().look_again();
        reasons = std::make_unique<Reasons>(model, recorder->data());
    }
    for (const auto& item : model.named_parameters()) {
        const Tensor& p = item.value();
        if (!p.defined()) continue;
        const TensorImpl* leaf = p.impl().get();
        GradEntry e;
        e.name = item.key();
        e.shape = shape_text(p);
        const Tensor& g = p.mutable_grad();
        if (!p.requires_grad()) {
            e.fate = GradFate::Frozen;
            e.text = "frozen: it does not require grad";
            if (g.defined()) e.text += ", and holds a gradient from before";
        } else if (g.defined() && !(reasons && reasons->only_zeros_left(leaf))) {
            e.fate = GradFate::Got;
            e.norm = norm_of(g);
            e.finite = std::isfinite(e.norm) || reel::isfinite(elements_of(g)).all().item<bool>();
            e.text = str("gradient, norm ", e.norm, e.norm == 0 ? " (all zeros)" : "", e.finite ? "" : " (NOT FINITE)");
            if (reasons) reasons->explain_gradient(leaf, e);
        } else if (reasons) {
            reasons->explain_missing(leaf, e);
        } else {
            e.text = "no gradient; open an inspect::Recorder around forward and backward to learn why";
        }
        report.entries.push_back(std::move(e));
    }
    if (recorder) report.unregistered = find_unregistered(model, recorder->data());
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
namespace {
/// Entries with one reason.
struct Group {
    std::string reason;
    bool fine = false;
    std::vector<const GradEntry*> entries;
};
/// The reason without what is each parameter's own: norms, and which nodes sent a gradient.
std::string reason_of(const GradEntry& e) {
    if (e.fate != GradFate::Got) return e.text;
    const std::size_t stale = e.text.find(". Nothing came in the latest pass");
    return str(!e.finite     ? "gradient that is NOT FINITE"
               : e.norm == 0 ? "gradient of zeros"
                             : "gradient",
               stale == std::string::npos ? "" : e.text.substr(stale));
}
std::vector<Group> grouped(const std::vector<GradEntry>& entries) {
    std::vector<Group> groups;
    for (const GradEntry& e : entries) {
        const std::string reason = reason_of(e);
        auto g = std::find_if(groups.begin(), groups.end(), [&](const Group& o) { return o.reason == reason; });
        if (g == groups.end()) {
            const bool got = e.fate == GradFate::Got && e.finite && e.norm != 0 && e.latest;
            g = groups.insert(g, {reason, got || e.fate == GradFate::Frozen, {}});
        }
        g->entries.push_back(&e);
    }
    std::stable_sort(groups.begin(), groups.end(), [](const Group& x, const Group& y) { return x.fine < y.fine; });
    return groups;
}
std::string text_of(const Group& g) {
    constexpr std::size_t named = 6;
    std::string r;
    double low = INFINITY, high = 0;
    for (std::size_t i = 0; i < g.entries.size(); ++i) {
        const GradEntry& e = *g.entries[i];
        if (i < named) r += (i ? ", " : "") + e.name;
        low = std::min(low, e.norm);
        high = std::max(high, e.norm);
    }
    if (g.entries.size() > named) r += str(", ... (", g.entries.size(), " in all)");
    r += ": " + g.reason;
    if (g.reason == "gradient") r += low == high ? str(", norm ", low) : str(", norms ", low, " to ", high);
    return r + '\n';
}
} // namespace

std::string GradReport::text() const {
    std::string r;
    for (const Group& g : grouped(entries)) r += text_of(g);
    for (const std::string& line : unregistered) r += "not registered: " + line + '\n';
    return r + str(entries.size(), " parameters: ", count(GradFate::Got), " with a gradient, ", count(GradFate::Frozen),
                   " frozen, ", entries.size() - count(GradFate::Got) - count(GradFate::Frozen), " without\n");
}
std::string GradReport::details() const {
    std::size_t width = 0;
    for (const GradEntry& e : entries) width = std::max(width, e.name.size());
    std::string r;
    for (const GradEntry& e : entries)
        r += e.name + std::string(width - e.name.size() + 2, ' ') + e.shape + "  " + e.text + '\n';
    return r;
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
            o["latest"] = e.latest;
        }
        boost::json::array nodes;
        for (const std::string& n : e.nodes) nodes.emplace_back(n);
        o["nodes"] = std::move(nodes);
        if (!e.cause.empty()) o["cause"] = e.cause;
        if (!e.place.empty()) o["place"] = e.place;
        list.push_back(std::move(o));
        counts[to_string(e.fate)] = count(e.fate);
    }
    boost::json::array others(unregistered.begin(), unregistered.end());
    return boost::json::serialize(boost::json::object{
        {"parameters", std::move(list)}, {"counts", std::move(counts)}, {"unregistered", std::move(others)}});
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
