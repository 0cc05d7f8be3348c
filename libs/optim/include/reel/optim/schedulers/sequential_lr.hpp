// Schedules made of schedules.
#pragma once

#include <memory>

#include <reel/optim/lr_scheduler.hpp>

namespace reel::optim {

/// One schedule after the other: number i takes over at epoch milestones[i - 1] with its epoch 0, whatever the rates of
/// the one before were; MultiplicativeLR and SWALR, which know no first rate, go on from there. Schedules may
/// themselves be made of schedules. Errors: ValueError when the schedules are not one more than the milestones, or
/// belong to another optimizer; NotImplementedError for `step(epoch)`.
class SequentialLR : public LRScheduler {
public:
    SequentialLR(Optimizer& optimizer, std::vector<std::shared_ptr<LRScheduler>> schedulers,
                 std::vector<std::int64_t> milestones, std::int64_t last_epoch = -1);
    Value state_dict() const override;
    void load_state_dict(const Value& dict) override;

protected:
    std::vector<double> get_lrs() override;
    void set_epoch(double epoch) override;
    void restart() override;

private:
    void start() override;
    std::size_t active() const; ///< whose turn it is
    std::vector<std::shared_ptr<LRScheduler>> schedulers_;
    std::vector<std::int64_t> milestones_;
};

/// Several schedules at once: each scales the rate that the one before left.
/// Errors: ValueError without a schedule and for schedules of several optimizers; NotImplementedError for
/// `step(epoch)`.
class ChainedScheduler : public LRScheduler {
public:
    explicit ChainedScheduler(std::vector<std::shared_ptr<LRScheduler>> schedulers);
    ChainedScheduler(std::vector<std::shared_ptr<LRScheduler>> schedulers, Optimizer& optimizer);
    Value state_dict() const override;
    void load_state_dict(const Value& dict) override;

protected:
    std::vector<double> get_lrs() override;
    void set_epoch(double epoch) override;
    void restart() override;

private:
    void start() override;
    std::vector<std::shared_ptr<LRScheduler>> schedulers_;
};
namespace lr_scheduler {
using optim::ChainedScheduler;
using optim::SequentialLR;
} // namespace lr_scheduler

} // namespace reel::optim
