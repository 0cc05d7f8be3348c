#include <reel/optim/schedulers/swa_lr.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <reel/optim/factory.hpp>

namespace reel::optim {

void SWALROptions::fields(FieldVisitor& v) {
    v.required("swa_lr", swa_lr);
    v("anneal_epochs", anneal_epochs);
    v("anneal_strategy", anneal_strategy);
    v("last_epoch", last_epoch);
}
SWALR::SWALR(Optimizer& optimizer, SWALROptions options)
    : LRScheduler(optimizer, options.last_epoch), options_(std::move(options)) {
    REEL_CHECK_VALUE(options_.anneal_strategy == "cos" || options_.anneal_strategy == "linear",
                     "SWALR: anneal_strategy must be 'cos' or 'linear', got '", options_.anneal_strategy, "'");
    REEL_CHECK_VALUE(options_.anneal_epochs >= 0, "SWALR: anneal_epochs must not be negative, got ",
                     options_.anneal_epochs);
    targets_ = options_.swa_lr.expand(base_lrs_.size(), "SWALR: swa_lr");
    for (std::size_t i = 0; i < targets_.size(); ++i) optimizer.param_groups()[i].extra().set("swa_lr", targets_[i]);
    initial_step();
}
SWALR::SWALR(Optimizer& optimizer, double swa_lr, std::int64_t anneal_epochs)
    : SWALR(optimizer, [&] {
          SWALROptions o;
          o.swa_lr = swa_lr;
          o.anneal_epochs = anneal_epochs;
          return o;
      }()) {}
double SWALR::weight(double part) const {
    const double t = std::clamp(part, 0.0, 1.0);
    return options_.anneal_strategy == "linear" ? t : (1 - std::cos(std::numbers::pi * t)) / 2;
}
std::vector<double> SWALR::get_lrs() {
    check_groups();
    const double epochs = double(std::max<std::int64_t>(options_.anneal_epochs, 1));
    double step = double(step_count_);
    if (options_.anneal_epochs == 0) step = std::max(step, 1.0);
    const double before = weight((step - 1) / epochs), now = weight(step / epochs);
    std::vector<double> r = get_current_lrs();
    for (std::size_t i = 0; i < r.size(); ++i) {
        // The rate that annealing set out from, as the current one tells.
        const double origin = before == 1 ? targets_[i] : (r[i] - before * targets_[i]) / (1 - before);
        r[i] = targets_[i] * now + origin * (1 - now);
    }
    return r;
}

void register_swa_lr() { register_scheduler<SWALR, SWALROptions>("SWALR"); }

} // namespace reel::optim
