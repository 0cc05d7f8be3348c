// Schedules made of schedules.
#pragma once

#include <memory>

#include <reel/optim/lr_scheduler.hpp>

namespace reel::optim {

/// One schedule after the other: number i takes over at epoch milestones[i - 1], from the first rate on.
/// Errors: ValueError when the schedules are not one more than the milestones, or belong to another optimizer.
class SequentialLR : public LRScheduler {
public:
    SequentialLR(Optimizer& optimizer, std::vector<std::shared_ptr<LRScheduler>> schedulers,
                 std::vector<std::int64_t> milestones);
    Value state_dict() const override;
    void load_state_dict(const Value& dict) override;

protected:
    std::vector<double> get_lrs() override;

private:
    std::vector<std::shared_ptr<LRScheduler>> schedulers_;
    std::vector<std::int64_t> milestones_;
};

/// Several schedules at once: each scales the rate that the one before left.
class ChainedScheduler : public SchedulerBase {
public:
    explicit ChainedScheduler(std::vector<std::shared_ptr<LRScheduler>> schedulers);
    void step();
    void step_with(std::optional<double>) override { step(); }
    std::vector<double> get_last_lr() const override { return schedulers_.back()->get_last_lr(); }
    Value state_dict() const override;
    void load_state_dict(const Value& dict) override;

private:
    std::vector<std::shared_ptr<LRScheduler>> schedulers_;
};
namespace lr_scheduler {
using optim::ChainedScheduler;
using optim::SequentialLR;
} // namespace lr_scheduler

} // namespace reel::optim
