#include <reel/optim/schedulers/exponential_lr.hpp>

#include <cmath>

#include <reel/optim/factory.hpp>

namespace reel::optim {

void ExponentialLROptions::fields(FieldVisitor& v) {
    v.required("gamma", gamma);
    v("last_epoch", last_epoch);
}
ExponentialLR::ExponentialLR(Optimizer& optimizer, ExponentialLROptions options)
    : LRScheduler(optimizer, options.last_epoch), options_(std::move(options)) {
    initial_step();
}
std::vector<double> ExponentialLR::get_lrs() { return is_initial_ ? get_current_lrs() : scaled(options_.gamma); }
std::vector<double> ExponentialLR::get_closed_form_lrs() {
    return scaled_base(std::pow(options_.gamma, double(last_epoch_)));
}

void register_exponential_lr() { register_scheduler<ExponentialLR, ExponentialLROptions>("ExponentialLR"); }

} // namespace reel::optim
