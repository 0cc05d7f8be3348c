#include <reel/optim/schedulers/polynomial_lr.hpp>

#include <cmath>

#include <reel/optim/factory.hpp>

namespace reel::optim {

void PolynomialLROptions::fields(FieldVisitor& v) {
    v("total_iters", total_iters);
    v("power", power);
    v("last_epoch", last_epoch);
}
PolynomialLR::PolynomialLR(Optimizer& optimizer, PolynomialLROptions options)
    : LRScheduler(optimizer, options.last_epoch), options_(std::move(options)) {
    initial_step();
}
std::vector<double> PolynomialLR::get_lrs() {
    if (is_initial_ || last_epoch_ > options_.total_iters) return get_current_lrs();
    const double total = double(options_.total_iters), now = double(last_epoch_);
    return scaled(std::pow((1 - now / total) / (1 - (now - 1) / total), options_.power));
}
std::vector<double> PolynomialLR::get_closed_form_lrs() {
    if (last_epoch_ >= options_.total_iters) return scaled_base(std::pow(0.0, options_.power));
    return scaled_base(std::pow(1 - double(last_epoch_) / double(options_.total_iters), options_.power));
}

void register_polynomial_lr() { register_scheduler<PolynomialLR, PolynomialLROptions>("PolynomialLR"); }

} // namespace reel::optim
