#include <reel/optim/schedulers/multi_step_lr.hpp>

#include <algorithm>
#include <cmath>

#include <reel/optim/factory.hpp>

namespace reel::optim {

void MultiStepLROptions::fields(FieldVisitor& v) {
    v.required("milestones", milestones);
    v("gamma", gamma);
    v("last_epoch", last_epoch);
}
MultiStepLR::MultiStepLR(Optimizer& optimizer, MultiStepLROptions options)
    : LRScheduler(optimizer, options.last_epoch), options_(std::move(options)) {
    initial_step();
}
std::vector<double> MultiStepLR::get_lrs() {
    const auto times = std::count(options_.milestones.begin(), options_.milestones.end(), last_epoch_);
    return scaled(std::pow(options_.gamma, double(times)));
}
std::vector<double> MultiStepLR::get_closed_form_lrs() {
    const auto times = std::count_if(options_.milestones.begin(), options_.milestones.end(),
                                     [&](std::int64_t milestone) { return milestone <= last_epoch_; });
    return scaled_base(std::pow(options_.gamma, double(times)));
}

void register_multi_step_lr() { register_scheduler<MultiStepLR, MultiStepLROptions>("MultiStepLR"); }

} // namespace reel::optim
