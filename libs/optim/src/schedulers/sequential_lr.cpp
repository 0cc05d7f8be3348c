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
} // namespace

SequentialLR::SequentialLR(Optimizer& optimizer, std::vector<std::shared_ptr<LRScheduler>> schedulers,
                           std::vector<std::int64_t> milestones)
    : LRScheduler(optimizer), schedulers_(std::move(schedulers)), milestones_(std::move(milestones)) {
    REEL_CHECK_VALUE(!schedulers_.empty() && schedulers_.size() == milestones_.size() + 1,
                     "SequentialLR: ", schedulers_.size(), " schedules and ", milestones_.size(),
                     " milestones; expected one milestone less than schedules");
    for (const auto& s : schedulers_)
        REEL_CHECK_VALUE(s && &s->optimizer() == &optimizer,
                         "SequentialLR: each schedule must belong to the optimizer given");
    // Every schedule set its own first rates when it was made; only those of the first one count.
    set_rates(base_lrs_);
    schedulers_[0]->initial_step();
    last_lr_ = get_current_lrs();
}
std::vector<double> SequentialLR::get_lrs() {
    const std::size_t i =
        std::size_t(std::upper_bound(milestones_.begin(), milestones_.end(), last_epoch_) - milestones_.begin());
    LRScheduler& now = *schedulers_[i];
    if (i > 0 && milestones_[i - 1] == last_epoch_) {
        set_rates(now.base_lrs_);
        now.last_epoch_ = 0;
        now.initial_step();
    } else {
        ++now.step_count_;
        now.advance();
    }
    return get_current_lrs();
}
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
    : schedulers_(std::move(schedulers)) {
    REEL_CHECK_VALUE(!schedulers_.empty(), "ChainedScheduler: needs at least one schedule");
    for (const auto& s : schedulers_)
        REEL_CHECK_VALUE(s && &s->optimizer() == &schedulers_[0]->optimizer(),
                         "ChainedScheduler: all schedules must belong to one optimizer");
}
void ChainedScheduler::step() {
    for (const auto& s : schedulers_) s->step();
}
Value ChainedScheduler::state_dict() const {
    ValueDict d;
    d.set("_schedulers", states_of(schedulers_));
    d.set("_last_lr", get_last_lr());
    return Value(std::move(d));
}
void ChainedScheduler::load_state_dict(const Value& dict) {
    load_states("ChainedScheduler", schedulers_, dict.toGenericDict());
}

} // namespace reel::optim
