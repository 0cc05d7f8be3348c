// The optimizer base: groups, the frame of a step.
#include <reel/optim/optimizer.hpp>

#include <algorithm>
#include <typeinfo>

#include <boost/core/demangle.hpp>

#include <reel/autograd/detail/notify_observers.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/node.hpp>
#include <reel/autograd/registered.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "recorded_step.hpp"
#include "scaled_step.hpp"
#include "step_batch.hpp"

namespace reel::optim {

OptimizerParamGroup::OptimizerParamGroup(const OptimizerParamGroup& o)
    : params_(o.params_), options_(o.options_ ? o.options_->clone() : nullptr), by_name_(o.by_name_), extra_(o.extra_) {
}
OptimizerParamGroup& OptimizerParamGroup::operator=(const OptimizerParamGroup& o) {
    OptimizerParamGroup copy(o);
    return *this = std::move(copy);
}
OptimizerOptions& OptimizerParamGroup::options() {
    REEL_CHECK(options_, "parameter group: it has no options of its own; set_options() gives it some");
    return *options_;
}
const OptimizerOptions& OptimizerParamGroup::options() const {
    return const_cast<OptimizerParamGroup&>(*this).options();
}

void OptimizerOptions::check_flags(const char* what) const {
    const auto on = [&](const char* flag) {
        if (!has(flag)) return false;
        const Value v = get(flag);
        return v.isBool() && v.toBool();
    };
    REEL_CHECK_VALUE(!is_differentiable() || has("differentiable"), what,
                     ": this optimizer has no differentiable step");
    REEL_CHECK(!on("fused") || !on("differentiable"), what, ": fused does not support differentiable");
    REEL_CHECK(!on("fused") || !on("foreach"), what, ": fused and foreach cannot both be true");
}

Optimizer::Optimizer(std::vector<OptimizerParamGroup> groups, std::unique_ptr<OptimizerOptions> defaults)
    : defaults_(std::move(defaults)) {
    REEL_CHECK_VALUE(defaults_, "optimizer: no default options are given");
    defaults_->check();
    defaults_->check_flags("optimizer");
    groups_.reserve(groups.size());
    for (OptimizerParamGroup& g : groups) add_param_group(std::move(g));
}
namespace {
std::vector<OptimizerParamGroup> one_group(std::vector<Tensor> params) {
    std::vector<OptimizerParamGroup> r;
    r.emplace_back(std::move(params));
    return r;
}
} // namespace
Optimizer::Optimizer(std::vector<Tensor> params, std::unique_ptr<OptimizerOptions> defaults)
    : Optimizer(one_group(std::move(params)), std::move(defaults)) {}

void Optimizer::add_param_group(OptimizerParamGroup group) {
    std::unordered_map<const void*, std::size_t> group_of;
    for (std::size_t g = 0; g < groups_.size(); ++g)
        for (const Tensor& p : groups_[g].params()) group_of.emplace(p.unsafeGetTensorImpl(), g);
    std::unordered_map<const void*, std::vector<std::size_t>> places;
    for (std::size_t i = 0; i < group.params().size(); ++i) {
        const Tensor& p = group.params()[i];
        REEL_CHECK_VALUE(p.defined(), "optimizer: parameter ", i, " of group ", groups_.size(), " is undefined");
        REEL_CHECK_VALUE(p.is_leaf() || defaults_->is_differentiable(), "optimizer: parameter ", i, " of group ",
                         groups_.size(), " is not a leaf; optimize the tensor that it was computed from");
        const auto known = group_of.find(p.unsafeGetTensorImpl());
        REEL_CHECK_VALUE(known == group_of.end(), "optimizer: parameter ", i, " of group ", groups_.size(),
                         " is already in group ", known->second);
        std::vector<std::size_t>& earlier = places[p.unsafeGetTensorImpl()];
        for (const std::size_t k : earlier)
            REEL_WARN("optimizer: parameters ", k, " and ", i, " of group ", groups_.size(),
                      " are the same tensor; it is updated twice");
        earlier.push_back(i);
    }
    if (!group.has_options()) group.set_options(defaults_->clone());
    else group.options().inherit(*defaults_);
    if (!group.by_name().empty()) {
        group.options().bind("parameter group", {}, group.by_name());
        group.by_name().clear();
    }
    group.options().check();
    group.options().check_flags("parameter group");
    for (std::size_t i = 0; i < group.params().size(); ++i)
        group.options().check_parameter(group.params()[i], str("parameter ", i, " of group ", groups_.size()));
    for (const Tensor& p : group.params()) autograd::impl::forget_left_place(p); // wanted although it may have left
    groups_.push_back(std::move(group));
}
void Optimizer::check_parameters() const {
    for (std::size_t g = 0; g < groups_.size(); ++g)
        for (std::size_t i = 0; i < groups_[g].params().size(); ++i) {
            const std::string path = autograd::impl::left_place(groups_[g].params()[i]);
            REEL_CHECK(
                path.empty(), "optimizer: parameter ", i, " of group ", g, ", of shape ",
                groups_[g].params()[i].sizes(), ", was '", path,
                "' until another tensor took its place in the module: updating it would train nothing. Build the "
                "optimizer anew over the module's parameters(), or put the new tensor into param_groups() or "
                "add_param_group()");
        }
}

RemovableHandle Optimizer::register_step_pre_hook(StepHook fn) { return add_hook(pre_hooks_, std::move(fn)); }
RemovableHandle Optimizer::register_step_post_hook(StepHook fn) { return add_hook(post_hooks_, std::move(fn)); }
namespace {
using StepHooks = std::shared_ptr<HookTable<Optimizer::StepHook>>;
/// Of all optimizers.
struct GlobalHooks {
    StepHooks pre, post;
};
GlobalHooks& global_hooks() {
    static GlobalHooks all;
    return all;
}
void run(const StepHooks& table, Optimizer& optimizer) {
    if (!table) return;
    if (const auto hooks = table->snapshot())
        for (const auto& h : *hooks) h.fn(optimizer);
}
} // namespace
RemovableHandle register_optimizer_step_pre_hook(Optimizer::StepHook fn) {
    return add_hook(global_hooks().pre, std::move(fn));
}
RemovableHandle register_optimizer_step_post_hook(Optimizer::StepHook fn) {
    return add_hook(global_hooks().post, std::move(fn));
}
void Optimizer::run_pre_hooks() {
    run(global_hooks().pre, *this);
    run(pre_hooks_, *this);
    check_parameters();
}
void Optimizer::finish_step() {
    ++step_count_;
    run(post_hooks_, *this);
    run(global_hooks().post, *this);
}
Tensor Optimizer::step(LossClosure closure) {
    settle();
    run_pre_hooks();
    Tensor loss;
    if (closure) {
        EnableGradGuard grad;
        loss = closure();
    }
    if ((grad_scale_.defined() || found_inf_.defined()) && !begin_scaled_step()) {
        finish_step();
        return loss;
    }
    for (const OptimizerParamGroup& g : groups_)
        for (const Tensor& p : g.params())
            if (is_captured(p.device()) && p.mutable_grad().defined()) {
                capture_step(p.device());
                return loss;
            }
    detail::StepBatch batch(detail::StepBatch::Mode::steps);
    if (found_inf_.defined() && device_decides()) {
        const NoGradGuard no_grad;
        auto before = std::make_unique<detail::UnsettledStep>(state_, found_inf_.device());
        before->skipped = detail::is_not_zero_later(found_inf_);
        batch.skip_where(found_inf_);
        unsettled_ = std::move(before);
    }
    update_groups(batch);
    finish_step();
    return loss;
}
void Optimizer::update_groups(detail::StepBatch& batch) {
    const NoGradGuard no_grad; // what the batch lends is given back under the mode it was lent under
    try {
        for (OptimizerParamGroup& g : groups_) {
            const bool recorded = g.options().is_differentiable();
            const AutoGradMode recording(recorded);
            const detail::RecordedSteps steps(recorded);
            const Value rate = recorded && g.options().has("lr") ? g.options().get("lr") : Value();
            if (rate.isTensor() && rate.toTensor().requires_grad()) update_through_rate(g, rate.toTensor());
            else update(g);
        }
    } catch (...) {
        batch.flush(); // what was stepped before the error is
        throw;
    }
    batch.flush();
}
/// p' = p + lr d: the step is taken with the rate's value, and what it has become of p gets (lr - value) d besides,
/// which is nothing but has d for its derivative.
void Optimizer::update_through_rate(OptimizerParamGroup& group, const Tensor& rate) {
    REEL_CHECK_VALUE(is_linear_in_rate(), "optimizer: lr requires grad, but this optimizer's step is not linear in it; "
                                          "expected a number or a tensor that does not require grad");
    const double value = rate.detach().item<double>(), taken = value == 0 ? 1 : value;
    std::vector<std::pair<Tensor, Tensor>> moved; // parameters, and what they were
    for (const Tensor& p : group.params())
        if (p.mutable_grad().defined()) moved.emplace_back(p, p.clone());
    const Value held(rate);
    group.options().set("lr", taken);
    try {
        update(group);
    } catch (...) {
        group.options().set("lr", held);
        throw;
    }
    group.options().set("lr", held);
    const Tensor beside = (rate.reshape({}) - taken) / taken;
    for (const auto& [p, before] : moved) p.add_((p - before) * beside.to(p.scalar_type()));
}
void Optimizer::update(OptimizerParamGroup&) { throw_no_update(); }
void Optimizer::check_gradients(const OptimizerParamGroup& group) const {
    for (std::size_t i = 0; i < group.params().size(); ++i) {
        const Tensor& g = group.params()[i].mutable_grad();
        if (!g.defined() || takes(g.layout())) continue;
        std::string name = boost::core::demangle(typeid(*this).name());
        name.erase(0, name.rfind(':') + 1);
        REEL_CHECK(!g.is_sparse(), name, ": parameter ", i, ", of shape ", g.sizes(),
                   ", has a sparse gradient; expected a strided one. SparseAdam, SGD and Adagrad take it, or give the "
                   "parameter the gradient's to_dense()");
        REEL_THROW(
            Error, name, ": parameter ", i, ", of shape ", g.sizes(),
            ", has a strided gradient; expected a sparse one, as embeddings with sparse=true make it. Adam takes "
            "it, or give the parameter the gradient's to_sparse(1)");
    }
}
void Optimizer::throw_no_update() {
    REEL_THROW(NotImplementedError, "optimizer: this class implements neither step nor update");
}
std::unique_ptr<OptimizerParamState> Optimizer::make_state() const {
    REEL_THROW(NotImplementedError, "optimizer: load_state_dict needs make_state, which this class does not implement");
}

void Optimizer::zero_grad(bool set_to_none) {
    for (OptimizerParamGroup& g : groups_)
        for (const Tensor& p : g.params()) {
            if (autograd::impl::observed() && p.mutable_grad().defined())
                autograd::impl::note_grad_cleared(p, "Optimizer.zero_grad", set_to_none);
            if (set_to_none) {
                p.mutable_grad() = Tensor();
                continue;
            }
            Tensor& grad = p.mutable_grad();
            if (!grad.defined()) continue;
            if (grad.grad_fn()) grad.detach_();
            else grad.requires_grad_(false);
            grad.zero_();
        }
}

std::vector<Tensor>& Optimizer::parameters() {
    REEL_WARN_DEPRECATION("Optimizer::parameters() is deprecated and will be removed; use param_groups()");
    REEL_CHECK_INDEX(!groups_.empty(), "optimizer: there is no parameter group");
    return groups_[0].params();
}
const std::vector<Tensor>& Optimizer::parameters() const { return const_cast<Optimizer*>(this)->parameters(); }
std::size_t Optimizer::size() const {
    REEL_WARN_DEPRECATION("Optimizer::size() is deprecated and will be removed; use param_groups()");
    std::size_t n = 0;
    for (const OptimizerParamGroup& g : groups_) n += g.params().size();
    return n;
}
void Optimizer::add_parameters(const std::vector<Tensor>& params) {
    REEL_WARN_DEPRECATION("Optimizer::add_parameters() is deprecated and will be removed; use add_param_group()");
    REEL_CHECK_INDEX(!groups_.empty(), "optimizer: there is no parameter group");
    groups_[0].params().insert(groups_[0].params().end(), params.begin(), params.end());
}

} // namespace reel::optim
