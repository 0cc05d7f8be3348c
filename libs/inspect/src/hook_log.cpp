// Telling firings, and why hooks did not fire.
#include <reel/autograd/ops/factory/like.hpp>
#include <reel/inspect/hook_log.hpp>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <unordered_set>

#include <boost/json.hpp>

#include <reel/autograd/backward.hpp>
#include <reel/nn/hook_list.hpp>

#include "generator_restore.hpp"
#include "recorder_data.hpp"

namespace reel::inspect {

using autograd::HookKind;
using What = HookLogEntry::What;

namespace {

bool of_module(HookKind k) {
    return k == HookKind::ForwardPre || k == HookKind::Forward || k == HookKind::BackwardPre ||
           k == HookKind::FullBackward || k == HookKind::LegacyBackward;
}
bool in_forward(HookKind k) { return k == HookKind::ForwardPre || k == HookKind::Forward; }

class Teller {
public:
    explicit Teller(const RecorderData& data) : data_(data) {
        for (const auto& [name, p] : data.model->parameter_items("", true, true))
            if (p.defined()) parameters_.emplace(p.impl().get(), p);
        for (const NodePtr& n : data.nodes) nodes_.insert(n.get());
    }

    std::string owner(const HookRef& h) const {
        if (!h.owner) return "all modules";
        if (of_module(h.kind)) {
            const std::string& path = data_.path_of(h.owner);
            return path.empty() ? "a module outside of the model" : path;
        }
        const auto* leaf = static_cast<const TensorImpl*>(h.owner);
        if (const std::string& name = data_.name_of(leaf); !name.empty()) return name;
        const auto* node = static_cast<const Node*>(h.owner);
        if (nodes_.count(node)) return data_.describe(*node, false);
        return h.kind == HookKind::PostAccumulate ? "a leaf" : "a tensor";
    }

    HookLogEntry entry(What what, const HookRef& h) const {
        HookLogEntry e{};
        e.what = what;
        e.kind = h.kind;
        e.id = h.id;
        e.owner = owner(h);
        return e;
    }

    std::string why_not(const HookRef& h) const {
        if (of_module(h.kind)) return why_not_of_module(h);
        const auto* leaf = static_cast<const TensorImpl*>(h.owner);
        if (const auto p = parameters_.find(leaf); p != parameters_.end()) {
            if (!p->second.requires_grad()) return "the parameter is frozen (requires_grad is off)";
            if (data_.runs.empty()) return "no backward pass ran";
            return "no gradient reached the parameter; explain_grad tells why";
        }
        if (data_.runs.empty()) return "no backward pass ran";
        const auto* node = static_cast<const Node*>(h.owner);
        if (nodes_.count(node)) {
            if (!data_.runs.count(node)) return "its node is not on the path to what backward started from";
            return "it was registered after its node had run";
        }
        return "no gradient reached the tensor";
    }

private:
    std::string why_not_of_module(const HookRef& h) const {
        std::size_t calls = 0;
        bool grad_mode = false, threw = false;
        for (const auto& c : data_.calls)
            if (!h.owner || c.module == h.owner) {
                ++calls;
                grad_mode = grad_mode || c.grad_mode;
                threw = threw || c.threw;
            }
        if (calls == 0)
            return h.owner ? "its module was not called (calling forward directly goes past hooks)"
                           : "no module was called";
        if (threw) return "the call threw before its turn";
        if (in_forward(h.kind)) return "it was registered after the call";
        if (!grad_mode) return "the module was called while grad mode was off";
        if (data_.runs.empty()) return "no backward pass ran";
        return "no gradient came to the module's result: nothing there requires grad, or it is not on the path to what "
               "backward started from, or the hook was registered after the call";
    }

    const RecorderData& data_;
    std::unordered_map<const TensorImpl*, Tensor> parameters_;
    std::unordered_set<const Node*> nodes_;
};

} // namespace

HookLog hook_log(const Recorder& recorder) {
    const RecorderData& data = recorder.data();
    data.look_again();
    const Teller teller(data);
    HookLog log;
    std::unordered_set<std::uint64_t> fired, removed, listed;
    std::vector<HookRef> all;
    using Seen = RecorderData::HookEvent::What;
    for (const auto& h : data.hooks) {
        const What what = h.what == Seen::Fired     ? What::Fired
                          : h.what == Seen::Removed ? What::Removed
                                                    : What::Registered;
        HookLogEntry e = teller.entry(what, h.hook);
        e.shapes = h.shapes;
        e.norms = h.norms;
        e.at_us = h.start_us;
        e.took_us = h.took_us;
        e.pass = h.pass;
        e.replaced = h.replaced;
        e.called = h.called;
        e.place = h.site.text();
        if (what == What::Fired && !h.returned) e.reason = "it threw"; // or this very hook asks
        if (what == What::Fired) fired.insert(h.hook.id);
        else all.push_back(h.hook);
        if (what == What::Removed) removed.insert(h.hook.id);
        log.entries.push_back(std::move(e));
    }
    const auto add = [&](const std::vector<HookRef>& refs) { all.insert(all.end(), refs.begin(), refs.end()); };
    add(nn::hooks::registered_globally());
    for (const auto& [path, m] : data.model->module_items("", true)) add(nn::hooks::registered_on(*m));
    for (const auto& [name, p] : data.model->parameter_items("", true, true))
        if (p.defined()) add(autograd::hooks_on(p));
    for (const HookRef& h : all) {
        if (fired.count(h.id) || !listed.insert(h.id).second) continue;
        HookLogEntry e = teller.entry(What::NotFired, h);
        e.reason = removed.count(h.id) ? "it was removed" : teller.why_not(h);
        log.entries.push_back(std::move(e));
    }
    return log;
}

std::size_t HookLog::fired(std::uint64_t id) const {
    return std::size_t(std::count_if(entries.begin(), entries.end(),
                                     [&](const HookLogEntry& e) { return e.what == What::Fired && e.id == id; }));
}
std::string HookLog::why_not(std::uint64_t id) const {
    for (const HookLogEntry& e : entries)
        if (e.what == What::NotFired && e.id == id) return e.reason;
    return {};
}

namespace {
const char* word(What what) {
    switch (what) {
    case What::Registered:
        return "registered";
    case What::Removed:
        return "removed";
    case What::Fired:
        return "fired";
    case What::NotFired:
        return "not fired";
    }
    return "";
}
std::string rounded(double v) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", v);
    return text;
}
} // namespace

std::string HookLog::text() const {
    std::string r;
    std::size_t n = 0;
    for (const HookLogEntry& e : entries) {
        if (e.what == What::Fired) r += str(++n, ". ");
        else r += "-- ";
        r += str(word(e.what), ' ', autograd::to_string(e.kind), " #", e.id, " on ", e.owner);
        if (e.what == What::Fired) {
            for (std::size_t i = 0; i < e.shapes.size(); ++i) {
                r += (i ? ", " : ": ") + e.shapes[i];
                if (i < e.norms.size() && !std::isnan(e.norms[i])) r += " norm " + rounded(e.norms[i]);
            }
            if (e.called) r += "  (" + rounded(e.took_us) + " us)";
            else r += "  (not called)";
            if (e.replaced) r += "  replaced";
        }
        if (!e.reason.empty()) r += ": " + e.reason;
        if (!e.place.empty() && e.what != What::Fired) r += ", at " + e.place;
        r += '\n';
    }
    return r;
}
std::string HookLog::json() const {
    boost::json::array list;
    for (const HookLogEntry& e : entries) {
        boost::json::object o{
            {"what", word(e.what)}, {"kind", autograd::to_string(e.kind)}, {"id", e.id}, {"owner", e.owner}};
        if (e.what == What::Fired) {
            boost::json::array shapes, norms;
            for (const std::string& s : e.shapes) shapes.emplace_back(s);
            for (const double v : e.norms) norms.push_back(std::isfinite(v) ? boost::json::value(v) : nullptr);
            o["shapes"] = std::move(shapes);
            o["norms"] = std::move(norms);
            o["at_us"] = e.at_us;
            o["took_us"] = e.took_us;
            o["pass"] = e.pass;
            o["replaced"] = e.replaced;
            o["called"] = e.called;
        }
        if (!e.reason.empty()) o["reason"] = e.reason;
        if (!e.place.empty()) o["place"] = e.place;
        list.push_back(std::move(o));
    }
    return boost::json::serialize(list);
}
std::ostream& operator<<(std::ostream& os, const HookLog& log) { return os << log.text(); }

namespace hooks {

namespace {
void collect(const Value& v, std::vector<Tensor>& out) {
    if (v.isTensor()) out.push_back(v.toTensor());
    else if (v.isSequence())
        for (const Value& e : v.elements()) collect(e, out);
    else if (v.isGenericDict())
        for (const auto& item : v.toGenericDict()) collect(item.second, out);
}

/// Puts back what a step changes.
class Restore {
public:
    explicit Restore(nn::Module& m) {
        NoGradGuard guard;
        for (const Tensor& p : m.parameters())
            if (p.defined()) grads_.emplace_back(p, std::exchange(p.mutable_grad(), Tensor()));
        for (const Tensor& b : m.buffers())
            if (b.defined()) buffers_.emplace_back(b, b.detach().clone());
    }
    ~Restore() {
        NoGradGuard guard;
        for (auto& [p, g] : grads_) p.mutable_grad() = g;
        for (auto& [b, before] : buffers_)
            if (!b.detach().equal(before)) b.detach().copy_(before);
    }

private:
    GeneratorRestore generator_;
    std::vector<std::pair<Tensor, Tensor>> grads_, buffers_;
};
} // namespace

HookLog dry_run(nn::Module& model, const Args& inputs, const DryRunOptions& options) {
    const Restore restore(model);
    RecorderOptions recording;
    recording.places = false;
    recording.call_hooks = options.call_hooks;
    Recorder recorder(model, recording);
    const EnableGradGuard grad;
    std::vector<Tensor> outputs;
    collect(model.call_values(inputs), outputs);
    REEL_CHECK_TYPE(!outputs.empty(), "dry_run: the result of ", model.repr_name(), " holds no tensor");
    autograd::variable_list roots, seeds;
    for (const Tensor& t : outputs)
        if (t.defined() && t.requires_grad()) {
            roots.push_back(t);
            seeds.push_back(reel::ones_like(t));
        }
    if (options.backward && !roots.empty()) autograd::backward(roots, seeds);
    recorder.stop();
    return hook_log(recorder);
}
HookLog dry_run(nn::Module& model, const Tensor& input, const DryRunOptions& options) {
    REEL_CHECK(input.defined(), "dry_run: input is undefined; expected what the model is called with");
    return dry_run(model, Args{Value(input)}, options);
}

} // namespace hooks

} // namespace reel::inspect
