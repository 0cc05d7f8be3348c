#include <reel/optim/schedulers/sequential_lr.hpp>

#include <algorithm>

namespace reel::optim {

namespace {
Value states_of(const std::vector<std::shared_ptr<LRScheduler>>& schedulers) {
    std::vector<Value> r;
    for (const auto& s : schedulers) r.push_back(s->state_dict());
    return Value::list(std::move(r));
}
void load_states(const char* name, const std::vector<std::shared_ptr<LRScheduler>>& schedulers, const ValueDict& dict) {
    const auto& states = dict.at("_schedulers").elements();
    REEL_CHECK_VALUE(states.size() == schedulers.size(), name, ": the saved state has ", states.size(),
                     " schedules, this one has ", schedulers.size());
    for (std::size_t i = 0; i < states.size(); ++i) schedulers[i]->load_state_dict(states[i]);
}
void check_one_optimizer(const char* name, const std::vector<std::shared_ptr<LRScheduler>>& schedulers,
                         const Optimizer& optimizer) {
    for (const auto& s : schedulers)
        REEL_CHECK_VALUE(
            s && &s->optimizer() == &optimizer, name,
            ": each schedule must belong to the optimizer given (and ReduceLROnPlateau, whose step takes a "
            "metric, cannot be one of them)");
}
Optimizer& first_optimizer(const std::vector<std::shared_ptr<LRScheduler>>& schedulers) {
    REEL_CHECK_VALUE(!schedulers.empty() && schedulers[0], "ChainedScheduler: needs at least one schedule");
    return schedulers[0]->optimizer();
}
[[noreturn]] void throw_no_epoch(const char* name) {
    REEL_THROW(NotImplementedError, name, ": step takes no epoch; its schedules count their own");
}
} // namespace

SequentialLR::SequentialLR(Optimizer& optimizer, std::vector<std::shared_ptr<LRScheduler>> schedulers,
                           std::vector<std::int64_t> milestones, std::int64_t last_epoch)
    : LRScheduler(optimizer, last_epoch), schedulers_(std::move(schedulers)), milestones_(std::move(milestones)) {
    REEL_CHECK_VALUE(!schedulers_.empty() && schedulers_.size() == milestones_.size() + 1,
                     "SequentialLR: ", schedulers_.size(), " schedules and ", milestones_.size(),
                     " milestones; expected one milestone less than schedules");
    check_one_optimizer("SequentialLR", schedulers_, optimizer);
    start();
}
std::size_t SequentialLR::active() const {
    return std::size_t(std::upper_bound(milestones_.begin(), milestones_.end(), last_epoch_) - milestones_.begin());
}
void SequentialLR::start() {
    // Every schedule set its own first rates when it was made; only those of the first one count.
    set_rates(base_lrs_);
    schedulers_[active()]->start();
    last_lr_ = get_current_lrs();
}
void SequentialLR::restart() {
    last_epoch_ = 0;
    schedulers_[active()]->restart();
    last_lr_ = get_current_lrs();
}
std::vector<double> SequentialLR::get_lrs() {
    const std::size_t i = active();
    LRScheduler& now = *schedulers_[i];
    if (i > 0 && milestones_[i - 1] == last_epoch_) now.restart();
    else {
        ++now.step_count_;
        now.advance();
    }
    return get_current_lrs();
}
void SequentialLR::set_epoch(double) { throw_no_epoch("SequentialLR"); }
Value SequentialLR::state_dict() const {
    const Value d = LRScheduler::state_dict();
    d.toGenericDict().set("_schedulers", states_of(schedulers_));
    d.toGenericDict().set("_milestones", milestones_);
    return d;
}
void SequentialLR::load_state_dict(const Value& dict) {
    LRScheduler::load_state_dict(dict);
    load_states("SequentialLR", schedulers_, dict.toGenericDict());
    if (const Value* m = dict.toGenericDict().find(std::string_view("_milestones"))) milestones_ = m->toIntVector();
}

ChainedScheduler::ChainedScheduler(std::vector<std::shared_ptr<LRScheduler>> schedulers)
    : ChainedScheduler(schedulers, first_optimizer(schedulers)) {}
ChainedScheduler::ChainedScheduler(std::vector<std::shared_ptr<LRScheduler>> schedulers, Optimizer& optimizer)
    : LRScheduler(optimizer), schedulers_(std::move(schedulers)) {
    check_one_optimizer("ChainedScheduler", schedulers_, optimizer);
}
void ChainedScheduler::start() {
    for (const auto& s : schedulers_) s->start();
    last_lr_ = get_current_lrs();
}
void ChainedScheduler::restart() {
    // not the children's own restarts: each would set rates, where all of them are to scale the first ones
    last_epoch_ = 0;
    set_rates(base_lrs_);
    for (const auto& s : schedulers_) {
        s->last_epoch_ = 0;
        s->start();
    }
    last_lr_ = get_current_lrs();
}
std::vector<double> ChainedScheduler::get_lrs() {
    for (const auto& s : schedulers_) {
        ++s->step_count_;
        s->advance();
    }
    return get_current_lrs();
}
void ChainedScheduler::set_epoch(double) { throw_no_epoch("ChainedScheduler"); }
Value ChainedScheduler::state_dict() const {
    ValueDict d;
    d.set("_schedulers", states_of(schedulers_));
    d.set("_last_lr", get_last_lr());
    return Value(std::move(d));
}
void ChainedScheduler::load_state_dict(const Value& dict) {
    load_states("ChainedScheduler", schedulers_, dict.toGenericDict());
    if (const Value* v = dict.toGenericDict().find(std::string_view("_last_lr"))) last_lr_ = v->toDoubleVector();
}

} // namespace reel::optim
