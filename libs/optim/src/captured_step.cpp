// An optimizer's step in a captured graph. Its kernels are replayed; what they compute with follows from options and
// counts, which the host looks at before each replay.
#include <reel/optim/optimizer.hpp>

#include <string>
#include <typeinfo>
#include <utility>

#include <boost/core/demangle.hpp>

#include <reel/autograd/device_hooks.hpp>

#include "step_batch.hpp"

namespace reel::optim {

namespace {

std::string class_of(const Optimizer& optimizer) {
    const std::string name = boost::core::demangle(typeid(optimizer).name());
    return name.substr(name.rfind(':') + 1);
}

/// Reads the fields of a state, or sets them to what was read; tensors stay the same ones.
class FieldValues : public FieldVisitor {
public:
    explicit FieldValues(Fields& of) : of_(of) { of_.fields(*this); }
    void put_back() {
        reading_ = false;
        of_.fields(*this);
    }

private:
    void visit(const FieldRef& field) override {
        if (reading_) values_.push_back(field.get());
        else field.set(values_[next_++]);
    }
    Fields& of_;
    std::vector<Value> values_;
    bool reading_ = true;
    std::size_t next_ = 0;
};

} // namespace

Optimizer::Optimizer(Optimizer&& o) noexcept
    : groups_(std::move(o.groups_)), state_(std::move(o.state_)), defaults_(std::move(o.defaults_)),
      pre_hooks_(std::move(o.pre_hooks_)), post_hooks_(std::move(o.post_hooks_)),
      state_dict_pre_hooks_(std::move(o.state_dict_pre_hooks_)),
      load_state_dict_post_hooks_(std::move(o.load_state_dict_post_hooks_)),
      state_dict_post_hooks_(std::move(o.state_dict_post_hooks_)),
      load_state_dict_pre_hooks_(std::move(o.load_state_dict_pre_hooks_)), step_count_(o.step_count_),
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
    std::vector<FieldValues> before;
    for (const auto& [param, state] : state_) before.emplace_back(*state);
    std::size_t with_gradients = 0;
    for (const OptimizerParamGroup& g : groups_)
        for (const Tensor& p : g.params()) with_gradients += p.mutable_grad().defined() && p.numel() > 0;
    const std::size_t states = state_.size();
    const auto batch = std::make_shared<detail::StepBatch>(detail::StepBatch::Mode::steps);
    update_groups(*batch);
    batch->end();
    REEL_CHECK(state_.size() == states, "optimizer: the state of a parameter was made within the capture, and would be "
                                        "anew by each replay; take one step before the capture");
    REEL_CHECK(batch->size() == with_gradients, "optimizer: a step of ", class_of(*this),
               " cannot be captured: ", with_gradients - batch->size(), " of ", with_gradients,
               " parameters are not stepped by a rule for each element on ", device.str(), "; step outside the graph");
    for (FieldValues& values : before) values.put_back(); // nothing has run yet
    if (!self_) self_ = std::make_shared<Optimizer*>(this);
    device_hooks(device.type()).before_replay(device.index(), [batch, self = self_] {
        REEL_CHECK(*self, "cuda::Graph: replay: the optimizer whose step was captured is gone");
        Optimizer& optimizer = **self;
        detail::StepBatch rules(detail::StepBatch::Mode::rules);
        optimizer.update_groups(rules);
        batch->write_rules(rules);
        ++optimizer.step_count_;
    });
}

} // namespace reel::optim
