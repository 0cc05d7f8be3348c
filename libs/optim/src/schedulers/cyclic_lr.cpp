#include <reel/optim/schedulers/cyclic_lr.hpp>

#include <cmath>

#include <reel/optim/factory.hpp>

#include "schedulers/momentum.hpp"

namespace reel::optim {

void CyclicLROptions::fields(FieldVisitor& v) {
    v.required("base_lr", base_lr);
    v.required("max_lr", max_lr);
    v("step_size_up", step_size_up);
    v("step_size_down", step_size_down);
    v("mode", mode);
    v("gamma", gamma);
    v.constant("scale_fn", Value());
    v("scale_mode", scale_mode);
    v("cycle_momentum", cycle_momentum);
    v("base_momentum", base_momentum);
    v("max_momentum", max_momentum);
    v("last_epoch", last_epoch);
}
namespace {
/// Checks everything, then lets the groups start at `base_lr`, before the base class reads their rates.
Optimizer& start_at(Optimizer& optimizer, const CyclicLROptions& o) {
    const std::size_t n = optimizer.param_groups().size();
    const auto rates = o.base_lr.expand(n, "CyclicLR: base_lr");
    o.max_lr.expand(n, "CyclicLR: max_lr");
    REEL_CHECK_VALUE(o.mode == "triangular" || o.mode == "triangular2" || o.mode == "exp_range" || o.scale_fn,
                     "CyclicLR: mode must be 'triangular', 'triangular2' or 'exp_range', got '", o.mode, "'");
    REEL_CHECK_VALUE(o.step_size_up > 0 && o.step_size_down.value_or(1) > 0, "CyclicLR: step sizes must be positive");
    if (o.cycle_momentum) {
        check_has_momentum(CyclicLR::class_name, optimizer);
        o.base_momentum.expand(n, "CyclicLR: base_momentum");
        o.max_momentum.expand(n, "CyclicLR: max_momentum");
    }
    if (o.last_epoch == -1)
        for (std::size_t i = 0; i < n; ++i) optimizer.param_groups()[i].options().set_lr(rates[i]);
    return optimizer;
}
} // namespace
CyclicLR::CyclicLR(Optimizer& optimizer, CyclicLROptions options)
    : LRScheduler(start_at(optimizer, options), options.last_epoch), options_(std::move(options)) {
    const std::size_t n = base_lrs_.size();
    base_lrs_ = options_.base_lr.expand(n, "CyclicLR: base_lr");
    max_lrs_ = options_.max_lr.expand(n, "CyclicLR: max_lr");
    if (options_.cycle_momentum) {
        base_momenta_ = options_.base_momentum.expand(n, "CyclicLR: base_momentum");
        max_momenta_ = options_.max_momentum.expand(n, "CyclicLR: max_momentum");
    }
    initial_step();
}
CyclicLR::CyclicLR(Optimizer& optimizer, double base_lr, double max_lr, std::int64_t step_size_up)
    : CyclicLR(optimizer, [&] {
          CyclicLROptions o;
          o.base_lr = base_lr;
          o.max_lr = max_lr;
          o.step_size_up = step_size_up;
          return o;
      }()) {}

double CyclicLR::scale(double cycle) const {
    if (options_.scale_fn) return options_.scale_fn(options_.scale_mode == "cycle" ? cycle : double(last_epoch_));
    if (options_.mode == "triangular2") return std::pow(0.5, cycle - 1);
    return options_.mode == "exp_range" ? std::pow(options_.gamma, double(last_epoch_)) : 1;
}
std::vector<double> CyclicLR::get_lrs() {
    const double up = double(options_.step_size_up),
                 down = double(options_.step_size_down.value_or(options_.step_size_up));
    const double total = up + down, ratio = up / total, now = double(last_epoch_);
    const double cycle = std::floor(1 + now / total), x = 1 + now / total - cycle;
    const double height = (x <= ratio ? x / ratio : (x - 1) / (ratio - 1)) * scale(cycle);
    std::vector<double> r = base_lrs_;
    for (std::size_t i = 0; i < r.size(); ++i) {
        r[i] += (max_lrs_[i] - r[i]) * height;
        if (options_.cycle_momentum)
            set_momentum(optimizer_.param_groups()[i], max_momenta_[i] - (max_momenta_[i] - base_momenta_[i]) * height);
    }
    return r;
}

void register_cyclic_lr() { register_scheduler<CyclicLR, CyclicLROptions>("CyclicLR"); }

} // namespace reel::optim
