#include <reel/optim/lr_scheduler.hpp>

#include <algorithm>
#include <cmath>

namespace reel::optim {

LRScheduler::LRScheduler(Optimizer& optimizer, std::int64_t last_epoch)
    : optimizer_(optimizer), last_epoch_(last_epoch) {
    const auto& groups = std::as_const(optimizer).param_groups();
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const Value* initial = groups[i].extra().find(std::string_view("initial_lr"));
        REEL_CHECK_WITH(KeyError, last_epoch == -1 || initial, "lr scheduler: parameter group ", i,
                        " has no initial_lr, which resuming at epoch ", last_epoch,
                        " needs; load the optimizer's state first");
        base_lrs_.push_back(initial ? initial->toDouble() : groups[i].options().get_lr());
    }
    for (std::size_t i = 0; i < groups.size(); ++i) optimizer.param_groups()[i].extra().set("initial_lr", base_lrs_[i]);
    if (last_epoch_ == -1) last_epoch_ = 0;
    else ++last_epoch_;
    last_lr_ = get_current_lrs();
}

std::vector<double> LRScheduler::get_current_lrs() const {
    std::vector<double> r;
    for (const OptimizerParamGroup& g : std::as_const(optimizer_).param_groups()) r.push_back(g.options().get_lr());
    return r;
}
std::vector<double> LRScheduler::scaled(double factor) const {
    std::vector<double> r = get_current_lrs();
    for (double& lr : r) lr *= factor;
    return r;
}
std::vector<double> LRScheduler::scaled_base(double factor) const {
    std::vector<double> r = base_lrs_;
    for (double& lr : r) lr *= factor;
    return r;
}
void LRScheduler::check_groups() const {
    const std::size_t n = std::as_const(optimizer_).param_groups().size();
    REEL_CHECK_VALUE(base_lrs_.size() == n, "lr scheduler: the schedule was made for ", base_lrs_.size(),
                     " parameter groups, the optimizer has ", n, "; add groups before the schedule is made");
}
void LRScheduler::set_rates(const std::vector<double>& rates) {
    auto& groups = optimizer_.param_groups();
    REEL_CHECK_VALUE(rates.size() == groups.size(), "lr scheduler: ", rates.size(), " rates for ", groups.size(),
                     " parameter groups; add groups before the schedule is made");
    for (std::size_t i = 0; i < rates.size(); ++i) groups[i].options().set_lr(rates[i]);
    last_lr_ = rates;
}
void LRScheduler::initial_step() {
    step_count_ = 0;
    is_initial_ = true;
    const std::vector<double> rates = get_lrs();
    is_initial_ = false;
    set_rates(rates);
}
void LRScheduler::restart() {
    last_epoch_ = 0;
    set_rates(get_closed_form_lrs());
}
void LRScheduler::advance() {
    ++last_epoch_;
    set_rates(get_lrs());
}
void LRScheduler::set_epoch(double epoch) {
    REEL_CHECK_VALUE(epoch == std::floor(epoch), "lr scheduler: step: epoch is ", epoch,
                     "; expected a whole number (CosineAnnealingWarmRestarts takes fractions)");
    last_epoch_ = std::int64_t(epoch);
    set_rates(get_closed_form_lrs());
}
void LRScheduler::begin_step() {
    if (step_count_ == 0 && optimizer_.step_count() == 0)
        REEL_WARN("lr scheduler: step() is called before the optimizer's first step(), which skips the first rate; "
                  "call optimizer.step() first");
    ++step_count_;
}
void LRScheduler::step() {
    begin_step();
    advance();
}
void LRScheduler::step(double epoch) {
    REEL_CHECK_VALUE(epoch >= 0, "lr scheduler: step: epoch is ", epoch, "; expected none below 0");
    begin_step();
    set_epoch(epoch);
}

Value LRScheduler::state_dict() const {
    ValueDict d;
    if (const Fields* o = const_cast<LRScheduler*>(this)->options_fields()) d = o->to_dict();
    d.set("base_lrs", base_lrs_);
    d.set("last_epoch", last_epoch_);
    d.set("_step_count", std::int64_t(step_count_) + 1); // Python counts the step of the constructor
    d.set("_last_lr", last_lr_);
    save_state(d);
    return Value(std::move(d));
}
void LRScheduler::load_state_dict(const Value& value) {
    REEL_CHECK_TYPE(value.isGenericDict(), "lr scheduler: load_state_dict expects a dict, got ", value.kind_name());
    const ValueDict& d = value.toGenericDict();
    std::vector<double> base = d.at("base_lrs").toDoubleVector(), last = d.at("_last_lr").toDoubleVector();
    REEL_CHECK_VALUE(base.size() == base_lrs_.size() && last.size() == base_lrs_.size(),
                     "lr scheduler: the saved state has ", base.size(), " parameter groups, this optimizer has ",
                     base_lrs_.size());
    const std::int64_t epoch = d.at("last_epoch").toInt(), count = d.at("_step_count").toInt();
    if (Fields* o = options_fields()) o->load_dict(d);
    load_state(d);
    base_lrs_ = std::move(base);
    last_lr_ = std::move(last);
    last_epoch_ = epoch;
    step_count_ = unsigned(std::max<std::int64_t>(count - 1, 0));
}

} // namespace reel::optim
