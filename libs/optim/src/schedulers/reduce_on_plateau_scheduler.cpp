#include <reel/optim/schedulers/reduce_on_plateau_scheduler.hpp>

#include <algorithm>

#include <reel/optim/factory.hpp>

namespace reel::optim {

void ReduceLROnPlateauOptions::fields(FieldVisitor& v) {
    v("mode", mode);
    v("factor", factor);
    v("patience", patience);
    v("threshold", threshold);
    v("threshold_mode", threshold_mode);
    v("cooldown", cooldown);
    v("min_lr", min_lr);
    v("eps", eps);
}
ReduceLROnPlateauScheduler::ReduceLROnPlateauScheduler(Optimizer& optimizer, ReduceLROnPlateauOptions options)
    : optimizer_(optimizer), options_(std::move(options)) {
    REEL_CHECK_VALUE(options_.factor < 1, class_name, ": factor must be below 1, got ", options_.factor);
    REEL_CHECK_VALUE(options_.mode == "min" || options_.mode == "max", class_name,
                     ": mode must be 'min' or 'max', got '", options_.mode, "'");
    REEL_CHECK_VALUE(options_.threshold_mode == "rel" || options_.threshold_mode == "abs", class_name,
                     ": threshold_mode must be 'rel' or 'abs', got '", options_.threshold_mode, "'");
    min_lrs_ = options_.min_lr.expand(optimizer.param_groups().size(), "ReduceLROnPlateau: min_lr");
    const double inf = std::numeric_limits<double>::infinity();
    best_ = options_.mode == "min" ? inf : -inf;
    last_lr_ = current_rates();
}
ReduceLROnPlateauScheduler::ReduceLROnPlateauScheduler(Optimizer& optimizer, SchedulerMode mode, double factor,
                                                       std::int64_t patience, double threshold,
                                                       ThresholdMode threshold_mode, std::int64_t cooldown,
                                                       const std::vector<double>& min_lr, double eps, bool verbose)
    : ReduceLROnPlateauScheduler(optimizer, [&] {
          ReduceLROnPlateauOptions o;
          o.mode = mode == min ? "min" : "max";
          o.factor = factor;
          o.patience = patience;
          o.threshold = threshold;
          o.threshold_mode = threshold_mode == rel ? "rel" : "abs";
          o.cooldown = cooldown;
          if (!min_lr.empty()) o.min_lr = min_lr;
          o.eps = eps;
          return o;
      }()) {
    verbose_ = verbose;
}

bool ReduceLROnPlateauScheduler::is_better(double a) const {
    const double t = options_.threshold;
    if (options_.mode == "min") return a < (options_.threshold_mode == "rel" ? best_ * (1 - t) : best_ - t);
    return a > (options_.threshold_mode == "rel" ? best_ * (1 + t) : best_ + t);
}
void ReduceLROnPlateauScheduler::step(double metric) {
    ++last_epoch_;
    if (is_better(metric)) {
        best_ = metric;
        num_bad_epochs_ = 0;
    } else ++num_bad_epochs_;
    if (cooldown_counter_ > 0) {
        --cooldown_counter_;
        num_bad_epochs_ = 0;
    }
    if (num_bad_epochs_ > options_.patience) {
        reduce();
        cooldown_counter_ = options_.cooldown;
        num_bad_epochs_ = 0;
    }
    last_lr_ = current_rates();
}
void ReduceLROnPlateauScheduler::reduce() {
    auto& groups = optimizer_.param_groups();
    if (min_lrs_.size() != groups.size()) // groups were added
        min_lrs_ = options_.min_lr.expand(groups.size(), "ReduceLROnPlateau: min_lr");
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const double old = groups[i].options().get_lr(), fresh = std::max(old * options_.factor, min_lrs_[i]);
        if (old - fresh <= options_.eps) continue;
        groups[i].options().set_lr(fresh);
        if (verbose_)
            REEL_WARN("ReduceLROnPlateau: epoch ", last_epoch_, ": the rate of group ", i, " is reduced to ", fresh);
    }
}
void ReduceLROnPlateauScheduler::step_with(std::optional<double> metric) {
    REEL_CHECK_VALUE(metric, class_name, ": step needs the metric");
    step(*metric);
}
std::vector<double> ReduceLROnPlateauScheduler::current_rates() const {
    std::vector<double> r;
    for (const OptimizerParamGroup& g : std::as_const(optimizer_).param_groups()) r.push_back(g.options().get_lr());
    return r;
}
Value ReduceLROnPlateauScheduler::state_dict() const {
    ValueDict d = options_.to_dict();
    d.set("best", best_);
    d.set("num_bad_epochs", num_bad_epochs_);
    d.set("cooldown_counter", cooldown_counter_);
    d.set("last_epoch", last_epoch_);
    d.set("min_lrs", min_lrs_);
    d.set("_last_lr", last_lr_);
    return Value(std::move(d));
}
void ReduceLROnPlateauScheduler::load_state_dict(const Value& value) {
    REEL_CHECK_TYPE(value.isGenericDict(), class_name, ": load_state_dict expects a dict, got ", value.kind_name());
    const ValueDict& d = value.toGenericDict();
    const double best = d.at("best").toDouble();
    const std::int64_t bad = d.at("num_bad_epochs").toInt(), cool = d.at("cooldown_counter").toInt(),
                       epoch = d.at("last_epoch").toInt();
    options_.load_dict(d);
    if (const Value* v = d.find(std::string_view("min_lrs"))) min_lrs_ = v->toDoubleVector();
    if (const Value* v = d.find(std::string_view("_last_lr"))) last_lr_ = v->toDoubleVector();
    best_ = best;
    num_bad_epochs_ = bad;
    cooldown_counter_ = cool;
    last_epoch_ = epoch;
}

void register_reduce_on_plateau_scheduler() {
    register_scheduler<ReduceLROnPlateauScheduler, ReduceLROnPlateauOptions>("ReduceLROnPlateau");
}

} // namespace reel::optim
