#include <reel/optim/schedulers/linear_lr.hpp>

#include <reel/optim/factory.hpp>

namespace reel::optim {

void LinearLROptions::fields(FieldVisitor& v) {
    v("start_factor", start_factor);
    v("end_factor", end_factor);
    v("total_iters", total_iters);
    v("last_epoch", last_epoch);
}
LinearLR::LinearLR(Optimizer& optimizer, LinearLROptions options)
    : LRScheduler(optimizer, options.last_epoch), options_(std::move(options)) {
    REEL_CHECK_VALUE(options_.start_factor > 0 && options_.start_factor <= 1,
                     "LinearLR: start_factor must be in (0, 1], got ", options_.start_factor);
    REEL_CHECK_VALUE(options_.end_factor >= 0 && options_.end_factor <= 1,
                     "LinearLR: end_factor must be between 0 and 1, got ", options_.end_factor);
    initial_step();
}
std::vector<double> LinearLR::get_lrs() {
    const double start = options_.start_factor, rise = options_.end_factor - start,
                 total = double(options_.total_iters);
    if (last_epoch_ == 0) return scaled(start);
    if (is_initial_ || last_epoch_ > options_.total_iters) return get_current_lrs();
    return scaled(1 + rise / (total * start + double(last_epoch_ - 1) * rise));
}
std::vector<double> LinearLR::get_closed_form_lrs() {
    const double start = options_.start_factor;
    if (last_epoch_ >= options_.total_iters) return scaled_base(options_.end_factor);
    return scaled_base(start + (options_.end_factor - start) * double(last_epoch_) / double(options_.total_iters));
}

void register_linear_lr() { register_scheduler<LinearLR, LinearLROptions>("LinearLR"); }

} // namespace reel::optim
