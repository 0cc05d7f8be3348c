#include <reel/optim/schedulers/cosine_annealing_warm_restarts.hpp>

#include <cmath>
#include <numbers>

#include <reel/optim/factory.hpp>

namespace reel::optim {

void CosineAnnealingWarmRestartsOptions::fields(FieldVisitor& v) {
    v.required("T_0", T_0);
    v("T_mult", T_mult);
    v("eta_min", eta_min);
    v("last_epoch", last_epoch);
}
CosineAnnealingWarmRestarts::CosineAnnealingWarmRestarts(Optimizer& optimizer,
                                                         CosineAnnealingWarmRestartsOptions options)
    : LRScheduler(optimizer, options.last_epoch), options_(std::move(options)) {
    REEL_CHECK_VALUE(options_.T_0 > 0, class_name, ": T_0 must be positive, got ", options_.T_0);
    REEL_CHECK_VALUE(options_.T_mult >= 1, class_name, ": T_mult must be at least 1, got ", options_.T_mult);
    initial_step();
}
CosineAnnealingWarmRestarts::CosineAnnealingWarmRestarts(Optimizer& optimizer, std::int64_t T_0, std::int64_t T_mult,
                                                         double eta_min)
    : CosineAnnealingWarmRestarts(optimizer, [&] {
          CosineAnnealingWarmRestartsOptions o;
          o.T_0 = T_0;
          o.T_mult = T_mult;
          o.eta_min = eta_min;
          return o;
      }()) {}
std::pair<std::int64_t, std::int64_t> CosineAnnealingWarmRestarts::position() const {
    std::int64_t at = last_epoch_, length = options_.T_0;
    if (options_.T_mult == 1) return {at % length, length};
    while (at >= length) {
        at -= length;
        length *= options_.T_mult;
    }
    return {at, length};
}
std::vector<double> CosineAnnealingWarmRestarts::get_lrs() {
    const auto [at, length] = position();
    std::vector<double> r = base_lrs_;
    for (double& lr : r)
        lr = options_.eta_min +
             (lr - options_.eta_min) * (1 + std::cos(std::numbers::pi * double(at) / double(length))) / 2;
    return r;
}
void CosineAnnealingWarmRestarts::save_state(ValueDict& dict) const {
    const auto [at, length] = position();
    dict.set("T_cur", at);
    dict.set("T_i", length);
}

void register_cosine_annealing_warm_restarts() {
    register_scheduler<CosineAnnealingWarmRestarts, CosineAnnealingWarmRestartsOptions>("CosineAnnealingWarmRestarts");
}

} // namespace reel::optim
