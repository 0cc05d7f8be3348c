// An optimizer's step in a captured graph. Its kernels are replayed; what they compute with follows from options and
// counts, which the host looks at before each replay.
#include <reel/optim/optimizer.hpp>

#include <string>
#include <typeinfo>
#include <utility>

#include <boost/core/demangle.hpp>

#include <reel/autograd/device_hooks.hpp>

#include "scaled_step.hpp"
#include "step_batch.hpp"

namespace reel::optim {

namespace {

std::string class_of(const Optimizer& optimizer) {
    const std::string name = boost::core::demangle(typeid(optimizer).name());
    return name.substr(name.rfind(':') + 1);
}

} // namespace

Optimizer::Optimizer(Optimizer&& o) noexcept
    : groups_(std::move(o.groups_)), state_(std::move(o.state_)), defaults_(std::move(o.defaults_)),
      pre_hooks_(std::move(o.pre_hooks_)), post_hooks_(std::move(o.post_hooks_)),
      state_dict_pre_hooks_(std::move(o.state_dict_pre_hooks_)),
      load_state_dict_post_hooks_(std::move(o.load_state_dict_post_hooks_)),
      state_dict_post_hooks_(std::move(o.state_dict_post_hooks_)),
      load_state_dict_pre_hooks_(std::move(o.load_state_dict_pre_hooks_)), grad_scale_(std::move(o.grad_scale_)),
      found_inf_(std::move(o.found_inf_)), unsettled_(std::move(o.unsettled_)), step_count_(o.step_count_),
      self_(std::move(o.self_)) {
    if (self_) *self_ = this;
}
Optimizer& Optimizer::operator=(Optimizer&& o) noexcept {
    std::swap(groups_, o.groups_);
    std::swap(state_, o.state_);
    std::swap(defaults_, o.defaults_);
    std::swap(pre_hooks_, o.pre_hooks_);
    std::swap(post_hooks_, o.post_hooks_);
    std::swap(state_dict_pre_hooks_, o.state_dict_pre_hooks_);
    std::swap(load_state_dict_post_hooks_, o.load_state_dict_post_hooks_);
    std::swap(state_dict_post_hooks_, o.state_dict_post_hooks_);
    std::swap(load_state_dict_pre_hooks_, o.load_state_dict_pre_hooks_);
    std::swap(grad_scale_, o.grad_scale_);
    std::swap(found_inf_, o.found_inf_);
    std::swap(unsettled_, o.unsettled_);
    std::swap(step_count_, o.step_count_);
    std::swap(self_, o.self_);
    if (self_) *self_ = this;
    if (o.self_) *o.self_ = &o;
    return *this;
}
Optimizer::~Optimizer() {
    if (self_) *self_ = nullptr;
}

void Optimizer::capture_step(Device device) {
    detail::UnsettledStep before(state_, device);
    std::size_t with_gradients = 0;
    for (const OptimizerParamGroup& g : groups_)
        for (const Tensor& p : g.params()) with_gradients += p.mutable_grad().defined() && p.numel() > 0;
    const std::size_t states = state_.size();
    const auto batch = std::make_shared<detail::StepBatch>(detail::StepBatch::Mode::steps);
    Tensor found; // as it is when a replay gets here
    if (found_inf_.defined()) {
        const NoGradGuard no_grad;
        found = found_inf_.clone();
        batch->skip_where(found);
    }
    update_groups(*batch);
    batch->end();
    REEL_CHECK(state_.size() == states, "optimizer: the state of a parameter was made within the capture, and would be "
                                        "anew by each replay; take one step before the capture");
    REEL_CHECK(batch->size() == with_gradients, "optimizer: a step of ", class_of(*this),
               " cannot be captured: ", with_gradients - batch->size(), " of ", with_gradients,
               " parameters are not stepped by a rule for each element on ", device.str(), "; step outside the graph");
    before.undo(state_); // nothing has run yet
    if (!self_) self_ = std::make_shared<Optimizer*>(this);
    device_hooks(device.type()).before_replay(device.index(), [batch, found, self = self_] {
        REEL_CHECK(*self, "cuda::Graph: replay: the optimizer whose step was captured is gone");
        Optimizer& optimizer = **self;
        optimizer.settle();
        std::unique_ptr<detail::UnsettledStep> unsettled;
        if (found.defined()) unsettled = std::make_unique<detail::UnsettledStep>(optimizer.state_, found.device());
        detail::StepBatch rules(detail::StepBatch::Mode::rules);
        optimizer.update_groups(rules);
        batch->write_rules(rules);
        ++optimizer.step_count_;
        if (!unsettled) return;
        unsettled->skipped = [found] { return found.item<double>() != 0; }; // the replay has been queued by then
        optimizer.unsettled_ = std::move(unsettled);
    });
}

} // namespace reel::optim
