#include <reel/optim/schedulers/exponential_lr.hpp>

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
std::vector<double> ExponentialLR::get_lrs() { return scaled(last_epoch_ == 0 ? 1 : options_.gamma); }

void register_exponential_lr() { register_scheduler<ExponentialLR, ExponentialLROptions>("ExponentialLR"); }

} // namespace reel::optim
