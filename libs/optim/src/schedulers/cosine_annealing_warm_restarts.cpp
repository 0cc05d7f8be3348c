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
    go_to(double(last_epoch_));
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
void CosineAnnealingWarmRestarts::go_to(double epoch) {
    position_ = epoch;
    length_ = options_.T_0;
    if (options_.T_mult == 1) position_ = std::fmod(epoch, double(length_));
    while (position_ >= double(length_)) {
        position_ -= double(length_);
        length_ *= options_.T_mult;
    }
}
void CosineAnnealingWarmRestarts::set_epoch(double epoch) {
    go_to(epoch);
    last_epoch_ = std::int64_t(std::floor(epoch));
    set_rates(get_lrs());
}
void CosineAnnealingWarmRestarts::advance() {
    ++last_epoch_;
    if (++position_ >= double(length_)) {
        position_ -= double(length_);
        length_ *= options_.T_mult;
    }
    set_rates(get_lrs());
}
std::vector<double> CosineAnnealingWarmRestarts::get_lrs() {
    const double height = (1 + std::cos(std::numbers::pi * position_ / double(length_))) / 2;
    std::vector<double> r = base_lrs_;
    for (double& lr : r) lr = options_.eta_min + (lr - options_.eta_min) * height;
    return r;
}
void CosineAnnealingWarmRestarts::save_state(ValueDict& dict) const {
    // whole positions are numbers without a point, as Python's are
    if (position_ == std::floor(position_)) dict.set("T_cur", std::int64_t(position_));
    else dict.set("T_cur", position_);
    dict.set("T_i", length_);
}
void CosineAnnealingWarmRestarts::load_state(const ValueDict& dict) {
    go_to(double(dict.at("last_epoch").toInt()));
    if (const Value* v = dict.find(std::string_view("T_cur"))) position_ = v->toDouble();
    if (const Value* v = dict.find(std::string_view("T_i"))) length_ = v->toInt();
}

void register_cosine_annealing_warm_restarts() {
    register_scheduler<CosineAnnealingWarmRestarts, CosineAnnealingWarmRestartsOptions>("CosineAnnealingWarmRestarts");
}

} // namespace reel::optim
