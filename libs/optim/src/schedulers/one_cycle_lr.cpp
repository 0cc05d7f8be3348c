#include <reel/optim/schedulers/one_cycle_lr.hpp>

#include <cmath>
#include <numbers>

#include <reel/optim/factory.hpp>

#include "schedulers/momentum.hpp"

namespace reel::optim {

void OneCycleLROptions::fields(FieldVisitor& v) {
    v.required("max_lr", max_lr);
    v("total_steps", total_steps);
    v("epochs", epochs);
    v("steps_per_epoch", steps_per_epoch);
    v("pct_start", pct_start);
    v("anneal_strategy", anneal_strategy);
    v("cycle_momentum", cycle_momentum);
    v("base_momentum", base_momentum);
    v("max_momentum", max_momentum);
    v("div_factor", div_factor);
    v("final_div_factor", final_div_factor);
    v("three_phase", three_phase);
    v("last_epoch", last_epoch);
}
namespace {
std::int64_t total_steps(const OneCycleLROptions& o) {
    const std::int64_t n = o.total_steps ? *o.total_steps : o.epochs.value_or(0) * o.steps_per_epoch.value_or(0);
    REEL_CHECK_VALUE(n > 0, "OneCycleLR: give a positive total_steps, or epochs and steps_per_epoch");
    return n;
}
/// Checks everything, then gives the groups their first rates, before the base class reads them.
Optimizer& start_at(Optimizer& optimizer, const OneCycleLROptions& o) {
    total_steps(o);
    REEL_CHECK_VALUE(o.pct_start >= 0 && o.pct_start <= 1, "OneCycleLR: pct_start must be between 0 and 1, got ",
                     o.pct_start);
    REEL_CHECK_VALUE(o.anneal_strategy == "cos" || o.anneal_strategy == "linear",
                     "OneCycleLR: anneal_strategy must be 'cos' or 'linear', got '", o.anneal_strategy, "'");
    const std::size_t n = optimizer.param_groups().size();
    if (o.cycle_momentum) {
        check_has_momentum(OneCycleLR::class_name, optimizer);
        o.base_momentum.expand(n, "OneCycleLR: base_momentum");
        o.max_momentum.expand(n, "OneCycleLR: max_momentum");
    }
    const auto top = o.max_lr.expand(n, "OneCycleLR: max_lr");
    for (std::size_t i = 0; i < top.size() && o.last_epoch == -1; ++i) {
        OptimizerParamGroup& g = optimizer.param_groups()[i];
        g.options().set_lr(top[i] / o.div_factor);
        g.extra().set("initial_lr", top[i] / o.div_factor);
        g.extra().set("max_lr", top[i]);
        g.extra().set("min_lr", top[i] / o.div_factor / o.final_div_factor);
    }
    return optimizer;
}
} // namespace
OneCycleLR::OneCycleLR(Optimizer& optimizer, OneCycleLROptions options)
    : LRScheduler(start_at(optimizer, options), options.last_epoch), options_(std::move(options)),
      total_(total_steps(options_)) {
    const std::size_t n = base_lrs_.size();
    max_lrs_ = options_.max_lr.expand(n, "OneCycleLR: max_lr");
    if (options_.cycle_momentum) {
        base_momenta_ = options_.base_momentum.expand(n, "OneCycleLR: base_momentum");
        max_momenta_ = options_.max_momentum.expand(n, "OneCycleLR: max_momentum");
    }
    initial_step();
}
OneCycleLR::OneCycleLR(Optimizer& optimizer, double max_lr, std::int64_t total_steps)
    : OneCycleLR(optimizer, [&] {
          OneCycleLROptions o;
          o.max_lr = max_lr;
          o.total_steps = total_steps;
          return o;
      }()) {}

double OneCycleLR::anneal(double from, double to, double part) const {
    if (options_.anneal_strategy == "linear") return (to - from) * part + from;
    return to + (from - to) / 2 * (std::cos(std::numbers::pi * part) + 1);
}
std::vector<double> OneCycleLR::get_lrs() {
    const double now = double(last_epoch_), total = double(total_), rise = options_.pct_start * total - 1;
    REEL_CHECK_VALUE(last_epoch_ <= total_, "OneCycleLR: step ", last_epoch_, " is beyond the ", total_,
                     " steps of the schedule");
    // Phases end at these steps; rates and momenta change from one corner to the next.
    const bool three = options_.three_phase;
    const std::vector<double> ends = three ? std::vector<double>{rise, 2 * options_.pct_start * total - 2, total - 1}
                                           : std::vector<double>{rise, total - 1};
    std::size_t phase = 0;
    while (phase + 1 < ends.size() && now > ends[phase]) ++phase;
    const double start = phase == 0 ? 0 : ends[phase - 1], length = ends[phase] - start;
    const double part = length == 0 ? 1 : (now - start) / length; // a phase of no length is over
    std::vector<double> r = base_lrs_;
    for (std::size_t i = 0; i < r.size(); ++i) {
        const double first = base_lrs_[i], top = max_lrs_[i], least = first / options_.final_div_factor;
        const std::vector<double> rates =
            three ? std::vector<double>{first, top, first, least} : std::vector<double>{first, top, least};
        r[i] = anneal(rates[phase], rates[phase + 1], part);
        if (!options_.cycle_momentum) continue;
        const double high = max_momenta_[i], low = base_momenta_[i];
        const std::vector<double> momenta =
            three ? std::vector<double>{high, low, high, high} : std::vector<double>{high, low, high};
        set_momentum(optimizer_.param_groups()[i], anneal(momenta[phase], momenta[phase + 1], part));
    }
    return r;
}

void register_one_cycle_lr() { register_scheduler<OneCycleLR, OneCycleLROptions>("OneCycleLR"); }

} // namespace reel::optim
