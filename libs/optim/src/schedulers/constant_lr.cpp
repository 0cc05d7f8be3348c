#include <reel/optim/schedulers/constant_lr.hpp>

#include <reel/optim/factory.hpp>

namespace reel::optim {

void ConstantLROptions::fields(FieldVisitor& v) {
    v("factor", factor);
    v("total_iters", total_iters);
    v("last_epoch", last_epoch);
}
ConstantLR::ConstantLR(Optimizer& optimizer, ConstantLROptions options)
    : LRScheduler(optimizer, options.last_epoch), options_(std::move(options)) {
    REEL_CHECK_VALUE(options_.factor >= 0 && options_.factor <= 1, "ConstantLR: factor must be between 0 and 1, got ",
                     options_.factor);
    initial_step();
}
std::vector<double> ConstantLR::get_lrs() {
    if (last_epoch_ == 0) return scaled(options_.factor);
    if (last_epoch_ != options_.total_iters) return get_current_lrs();
    return options_.factor == 0 ? base_lrs_ : scaled(1 / options_.factor); // nothing is left of a rate times zero
}
std::vector<double> ConstantLR::get_closed_form_lrs() {
    return scaled_base(last_epoch_ < options_.total_iters ? options_.factor : 1);
}

void register_constant_lr() { register_scheduler<ConstantLR, ConstantLROptions>("ConstantLR"); }

} // namespace reel::optim
