#include <reel/optim/lr_scheduler.hpp>

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
void LRScheduler::set_rates(const std::vector<double>& rates) {
    auto& groups = optimizer_.param_groups();
    REEL_CHECK_VALUE(rates.size() == groups.size(), "lr scheduler: ", rates.size(), " rates for ", groups.size(),
                     " parameter groups");
    for (std::size_t i = 0; i < rates.size(); ++i) groups[i].options().set_lr(rates[i]);
    last_lr_ = rates;
}
void LRScheduler::initial_step() { set_rates(get_lrs()); }
void LRScheduler::advance() {
    ++last_epoch_;
    set_rates(get_lrs());
}
void LRScheduler::step() {
    if (step_count_ == 0 && optimizer_.step_count() == 0)
        REEL_WARN("lr scheduler: step() is called before the optimizer's first step(), which skips the first rate; "
                  "call optimizer.step() first");
    ++step_count_;
    advance();
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
