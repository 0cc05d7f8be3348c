#include <reel/optim/schedulers/step_lr.hpp>

#include <cmath>

#include <reel/optim/factory.hpp>

namespace reel::optim {

void StepLROptions::fields(FieldVisitor& v) {
    v.required("step_size", step_size);
    v("gamma", gamma);
    v("last_epoch", last_epoch);
}
StepLR::StepLR(Optimizer& optimizer, StepLROptions options)
    : LRScheduler(optimizer, options.last_epoch), options_(std::move(options)) {
    REEL_CHECK_VALUE(options_.step_size > 0, "StepLR: step_size must be positive, got ", options_.step_size);
    initial_step();
}
std::vector<double> StepLR::get_lrs() {
    return scaled(last_epoch_ == 0 || last_epoch_ % options_.step_size != 0 ? 1 : options_.gamma);
}
std::vector<double> StepLR::get_closed_form_lrs() {
    return scaled_base(std::pow(options_.gamma, double(last_epoch_ / options_.step_size)));
}

void register_step_lr() { register_scheduler<StepLR, StepLROptions>("StepLR"); }

} // namespace reel::optim
