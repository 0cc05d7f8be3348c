// Recording what gradients do.
#include <reel/inspect/recorder.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <reel/autograd/backward.hpp>
#include <reel/nn/hook_list.hpp>

#include "elements.hpp"
#include "recorder_data.hpp"

namespace reel::inspect {

using autograd::GradList;
using autograd::variable_list;

namespace {
thread_local Recorder* innermost = nullptr;
thread_local std::vector<RecorderData*> open; ///< the outermost one first
const std::string nothing;
} // namespace

double norm_of(const Tensor& t) {
    if (!t.defined() || !isDifferentiableType(t.scalar_type()) || t.device().is_meta())
        return std::numeric_limits<double>::quiet_NaN();
    NoGradGuard guard;
    const Tensor x = elements_of(t);
    return std::sqrt((x.is_complex() ? x.abs() : x).to(kDouble).square().sum().item<double>());
}
std::string shape_text(const Tensor& t) {
    return t.defined() ? str(dtype_name(t.scalar_type()), t.sizes()) : std::string("none");
}

namespace {
/// Recorders that keep places need anomaly mode; the last one to end, in whatever order, puts back what the first
/// found.
struct Places {
    int recorders = 0;
    bool anomaly = false, check_nan = true;
};
thread_local Places places;
} // namespace

RecorderData::Watching::Watching(RecorderData& data)
    : keeps_places(data.options.places), paths(*data.model), nodes([&data](Node& n) { data.node_made(n); }),
      scope(data) {
    if (!keeps_places || places.recorders++ > 0) return;
    places.anomaly = autograd::AnomalyMode::is_enabled();
    places.check_nan = autograd::AnomalyMode::should_check_nan();
    if (!places.anomaly) autograd::AnomalyMode::set_enabled(true, false);
}
RecorderData::Watching::~Watching() {
    if (keeps_places && --places.recorders == 0) autograd::AnomalyMode::set_enabled(places.anomaly, places.check_nan);
}

RecorderData::RecorderData(const nn::Module& m, const RecorderOptions& o) : model(&m), options(o) {
    keep(&m);
    look_again();
    const auto add = [&](const std::vector<HookRef>& hooks) {
        for (const HookRef& h : hooks) registered_.emplace(h.id, h);
    };
    add(nn::hooks::registered_globally());
    for (const auto& [path, module] : m.module_items("", true)) add(nn::hooks::registered_on(*module));
    for (const auto& [name, p] : m.parameter_items("", true, true))
        if (p.defined()) add(autograd::hooks_on(p));
    watching_ = std::make_unique<Watching>(*this);
    open.push_back(this);
}
RecorderData::~RecorderData() = default;
void RecorderData::look_again() const {
    for (const auto& [path, module] : model->module_items("", true))
        if (paths_.emplace(module, path.empty() ? model->repr_name() : path).second) keep(module);
    for (const auto& [name, p] : model->parameter_items("", true, true))
        if (p.defined() && names_.emplace(p.impl().get(), name).second) leaves_alive_.emplace(p.impl().get(), p.impl());
}
void RecorderData::keep(const nn::Module* module) const {
    auto& alive = modules_alive_[module];
    if (!alive) alive = module->weak_from_this().lock(); // none: it lives on a stack, or is being constructed
}
const char RecorderData::somebody = 0;
HookRef RecorderData::kept(HookRef hook, const Node* running) {
    if (!hook.owner) return hook; // of all modules
    switch (hook.kind) {
    case autograd::HookKind::NodePre:
    case autograd::HookKind::NodePost: {
        const auto* node = static_cast<const Node*>(hook.owner);
        if (node != running) nodes_alive_.emplace(node, NodePtr(const_cast<Node*>(node)));
        break;
    }
    case autograd::HookKind::PostAccumulate: {
        const auto* leaf = static_cast<const TensorImpl*>(hook.owner);
        leaves_alive_.emplace(leaf, TensorImplPtr(const_cast<TensorImpl*>(leaf)));
        break;
    }
    case autograd::HookKind::Tensor: // of a leaf, or of a node
        if (running) break;          // which is that node, or holds that leaf
        for (; made_until_ < nodes.size(); ++made_until_) made_.insert(nodes[made_until_].get());
        if (!made_.count(static_cast<const Node*>(hook.owner)) &&
            !leaves_alive_.count(static_cast<const TensorImpl*>(hook.owner)))
            hook.owner = &somebody;
        break;
    default:
        keep(static_cast<const nn::Module*>(hook.owner));
    }
    return hook;
}
void RecorderData::stop() {
    watching_.reset();
    std::erase(open, this);
}
std::vector<RecorderData*> RecorderData::open_on_this_thread() { return open; }
void RecorderData::clear() {
    nodes.clear();
    made_at.clear();
    runs.clear();
    cuts.clear();
    clears.clear();
    calls.clear();
    hooks.clear();
    writes.clear();
    saved.clear();
    accumulated.clear();
    passes.clear();
    running_.clear();
    firing_.clear();
    nodes_alive_.clear();
    made_.clear();
    made_until_ = 0;
}

const std::string& RecorderData::path_of(const void* module) const {
    const auto it = paths_.find(module);
    return it == paths_.end() ? nothing : it->second;
}
const nn::Module* RecorderData::alive(const void* module) const {
    const auto it = modules_alive_.find(module);
    return it == modules_alive_.end() ? nullptr : it->second.get();
}
const std::string& RecorderData::name_of(const TensorImpl* leaf) const {
    const auto it = names_.find(leaf);
    return it == names_.end() ? nothing : it->second;
}
std::string RecorderData::describe(const Node& node, bool with_place) const {
    std::string r = node.name();
    if (const Tensor leaf = autograd::leaf_of(node); leaf.defined()) {
        const std::string& name = name_of(leaf.impl().get());
        if (!name.empty()) r += " of " + name;
    }
    if (!node.module_path().empty()) r += " in " + node.module_path();
    if (with_place)
        if (const std::string place = autograd::creation_site(node).text(); !place.empty()) r += ", called by " + place;
    return r;
}
double RecorderData::now_us() const {
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start_).count();
}
const std::string& RecorderData::current_path() const {
    return running_.empty() ? nothing : path_of(calls[running_.back()].module);
}

void RecorderData::node_made(Node& node) {
    nodes.push_back(node.getptr());
    made_at.push_back(++clock_);
    std::vector<std::uint32_t> versions;
    for (const Tensor& t : node.saved_tensors()) versions.push_back(t.defined() ? t.impl()->version() : 0);
    if (!versions.empty()) saved.push_back({clock_, &node, std::move(versions)});
}
void RecorderData::written(const Tensor& t, const char* op) {
    writes.push_back({++clock_, t.storage().get(), op, current_path(), site()});
}
void RecorderData::value_cut(CutKind kind, const char* op, const Tensor& input) {
    const NodePtr& source = input.impl()->grad_fn_unchecked();
    cuts.push_back({++clock_, kind, op, source, source ? nullptr : input.impl(), current_path(), site()});
}
void RecorderData::grad_cleared(const Tensor& leaf, const char* by, bool to_none) {
    clears.push_back({++clock_, leaf.impl(), by, to_none, site()});
}
void RecorderData::module_entered(const void* module, const variable_list&) {
    const void* const inside = running_.empty() ? nullptr : calls[running_.back()].module;
    running_.push_back(calls.size());
    keep(static_cast<const nn::Module*>(module));
    calls.push_back({++clock_, module, GradMode::is_enabled(), false, site(), inside});
}
void RecorderData::module_left(const void* module, const variable_list* outputs) {
    if (running_.empty() || calls[running_.back()].module != module) return;
    if (!outputs) calls[running_.back()].threw = true;
    running_.pop_back();
}
void RecorderData::hook_registered(const HookRef& hook) {
    HookEvent e;
    e.at = ++clock_;
    e.what = HookEvent::What::Registered;
    e.hook = kept(hook);
    e.start_us = now_us();
    e.site = site();
    registered_[hook.id] = e.hook;
    hooks.push_back(std::move(e));
}
void RecorderData::hook_removed(std::uint64_t id) {
    HookEvent e;
    e.at = ++clock_;
    e.what = HookEvent::What::Removed;
    const auto known = registered_.find(id);
    if (known == registered_.end()) return; // of a tensor that nothing is known of
    e.hook = known->second;
    e.start_us = now_us();
    e.site = site();
    hooks.push_back(std::move(e));
}
bool RecorderData::hook_fires(const HookRef& hook, const Node* running, const variable_list& tensors) {
    HookEvent e;
    e.at = ++clock_;
    e.what = HookEvent::What::Fired;
    e.hook = kept(hook, running);
    e.running = NodePtr(const_cast<Node*>(running));
    e.pass = autograd::current_graph_task_id();
    e.called = options.call_hooks;
    registered_.emplace(hook.id, e.hook);
    for (const Tensor& t : tensors) {
        e.shapes.push_back(shape_text(t));
        if (options.norms) e.norms.push_back(norm_of(t));
    }
    firing_.push_back(hooks.size());
    e.start_us = now_us();
    hooks.push_back(std::move(e));
    return options.call_hooks;
}
void RecorderData::hook_returned(const HookRef& hook, bool replaced, const variable_list& result) {
    // Hooks that threw never return: what lies above the one that did is theirs.
    while (!firing_.empty()) {
        HookEvent& e = hooks[firing_.back()];
        firing_.pop_back();
        if (e.hook.id != hook.id || e.hook.kind != hook.kind) continue;
        e.took_us = now_us() - e.start_us;
        e.returned = true;
        e.replaced = replaced;
        if (replaced)
            for (const Tensor& t : result) e.returned_none = e.returned_none || !t.defined();
        return;
    }
}
void RecorderData::node_runs(Node& node, GradList& grads) {
    NodeRun& run = runs[&node];
    run.node = node.getptr();
    run.at = ++clock_;
    run.finished = false;
    run.arrived.clear();
    run.norms.clear();
    for (const Tensor& g : grads) {
        run.arrived.push_back(g.defined());
        if (options.norms) run.norms.push_back(norm_of(g));
    }
    note_pass();
    if (node.is_accumulator() && !grads.empty() && grads[0].defined())
        accumulated[autograd::leaf_of(node).impl().get()] = clock_;
}
void RecorderData::node_ran(Node& node, GradList& grads) {
    ++clock_;
    note_pass();
    NodeRun& run = runs[&node];
    run.finished = true;
    run.produced.clear();
    for (const Tensor& g : grads) run.produced.push_back(g.defined());
}

void RecorderData::note_pass() {
    const std::int64_t id = autograd::current_graph_task_id();
    const auto it = std::find_if(passes.rbegin(), passes.rend(), [&](const Pass& p) { return p.id == id; });
    Pass& pass = it != passes.rend() ? *it : passes.emplace_back(Pass{id, clock_, clock_, nodes.size(), 0});
    pass.end = clock_;
    pass.nodes_after = nodes.size();
}
RecorderData::LatestStep RecorderData::latest_step() const {
    LatestStep r;
    // A pass that ran inside of another one ended before it.
    for (const Pass& p : passes)
        if (!r.pass || p.end > r.pass->end) r.pass = &p;
    if (!r.pass) return r;
    std::size_t oldest = r.pass->nodes_before;
    for (std::size_t i = 0; i < oldest; ++i)
        // An accumulator lives on from step to step and says nothing about when this one began.
        if (const auto run = runs.find(nodes[i].get());
            run != runs.end() && run->second.at >= r.pass->begin && !nodes[i]->is_accumulator())
            oldest = i;
    for (const Pass& p : passes)
        if (p.end < r.pass->begin && p.nodes_after <= oldest && p.end > r.since) {
            r.since = p.end;
            r.first_node = p.nodes_after;
        }
    return r;
}

Recorder::Recorder(const nn::Module& model, const RecorderOptions& options)
    : data_(std::make_unique<RecorderData>(model, options)), previous_(std::exchange(innermost, this)) {}
Recorder::~Recorder() {
    data_->stop();
    if (innermost == this) innermost = previous_;
    for (Recorder* r = innermost; r; r = r->previous_) // recorders may end in any order
        if (r->previous_ == this) r->previous_ = previous_;
}
void Recorder::stop() { data_->stop(); }
void Recorder::clear() { data_->clear(); }
const Recorder* Recorder::current() { return innermost; }
const nn::Module& Recorder::model() const { return *data_->model; }

} // namespace reel::inspect
