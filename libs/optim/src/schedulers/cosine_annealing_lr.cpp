#include <reel/optim/schedulers/cosine_annealing_lr.hpp>

#include <cmath>
#include <numbers>

#include <reel/optim/factory.hpp>

namespace reel::optim {

void CosineAnnealingLROptions::fields(FieldVisitor& v) {
    v.required("T_max", T_max);
    v("eta_min", eta_min);
    v("last_epoch", last_epoch);
}
CosineAnnealingLR::CosineAnnealingLR(Optimizer& optimizer, CosineAnnealingLROptions options)
    : LRScheduler(optimizer, options.last_epoch), options_(std::move(options)) {
    REEL_CHECK_VALUE(options_.T_max > 0, "CosineAnnealingLR: T_max must be positive, got ", options_.T_max);
    initial_step();
}
std::vector<double> CosineAnnealingLR::get_lrs() {
    const double pi = std::numbers::pi, period = double(options_.T_max), now = double(last_epoch_),
                 least = options_.eta_min;
    check_groups();
    std::vector<double> r = get_current_lrs();
    if (is_initial_) return r;
    for (std::size_t i = 0; i < r.size(); ++i) {
        if ((last_epoch_ - 1 - options_.T_max) % (2 * options_.T_max) == 0)
            r[i] += (base_lrs_[i] - least) * (1 - std::cos(pi / period)) / 2;
        else
            r[i] = (1 + std::cos(pi * now / period)) / (1 + std::cos(pi * (now - 1) / period)) * (r[i] - least) + least;
    }
    return r;
}
std::vector<double> CosineAnnealingLR::get_closed_form_lrs() {
    const double part = double(last_epoch_) / double(options_.T_max), least = options_.eta_min;
    std::vector<double> r = base_lrs_;
    for (double& lr : r) lr = least + (lr - least) * (1 + std::cos(std::numbers::pi * part)) / 2;
    return r;
}

void register_cosine_annealing_lr() {
    register_scheduler<CosineAnnealingLR, CosineAnnealingLROptions>("CosineAnnealingLR");
}

} // namespace reel::optim
