// Learning-rate schedules: the base that counts steps and keeps each group's first rate.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <reel/optim/optimizer.hpp>

namespace reel::optim {

/// What every schedule offers, whether it looks at a metric or not.
class SchedulerBase {
public:
    virtual ~SchedulerBase() = default;
    /// One step for callers that do not know the class. ValueError when the class needs a metric and gets none.
    virtual void step_with(std::optional<double> metric) = 0;
    /// The rate of each group as the last step left it.
    virtual std::vector<double> get_last_lr() const = 0;
    virtual Value state_dict() const = 0;
    virtual void load_state_dict(const Value& dict) = 0;
};

/// Options of a schedule; `last_epoch` other than -1 resumes, which needs each group's `initial_lr`.
struct SchedulerOptions : Fields {
    std::int64_t last_epoch = -1;
};

/// Base of schedules over epochs. A class implements `get_lrs`, from `last_epoch()`, `base_lrs()` and the current
/// rates, and calls `initial_step()` at the end of its constructor if it sets rates before the first step. The rates
/// after k steps are PyTorch's (Python's) after k steps.
class LRScheduler : public SchedulerBase {
public:
    explicit LRScheduler(Optimizer& optimizer, std::int64_t last_epoch = -1);
    LRScheduler(const LRScheduler&) = delete;

    /// Moves on by one epoch. Warns when the optimizer has not stepped before the first call.
    void step();
    void step_with(std::optional<double>) override { step(); }
    std::vector<double> get_last_lr() const override { return last_lr_; }
    std::int64_t last_epoch() const { return last_epoch_; }
    const std::vector<double>& base_lrs() const { return base_lrs_; }
    Optimizer& optimizer() const { return optimizer_; }

    /// Options, `base_lrs`, `last_epoch` and what the class adds.
    Value state_dict() const override;
    /// ValueError when the number of groups differs; nothing changes then.
    void load_state_dict(const Value& dict) override;

protected:
    virtual std::vector<double> get_lrs() = 0;
    std::vector<double> get_current_lrs() const;
    /// Sets the rates of epoch 0 (or of the epoch resumed from).
    void initial_step();
    void set_rates(const std::vector<double>& rates);
    /// The options, for state dicts; null for none.
    virtual Fields* options_fields() { return nullptr; }
    /// Changing members beside the epoch.
    virtual void save_state(ValueDict& dict) const { (void)dict; }
    virtual void load_state(const ValueDict& dict) { (void)dict; }
    /// Scales each current rate.
    std::vector<double> scaled(double factor) const;

    Optimizer& optimizer_;
    std::int64_t last_epoch_;
    unsigned step_count_ = 0; ///< calls of `step`, the one in progress included
    std::vector<double> base_lrs_, last_lr_;

private:
    friend class SequentialLR;
    void advance();
};

namespace lr_scheduler {
using optim::LRScheduler;
}

} // namespace reel::optim
