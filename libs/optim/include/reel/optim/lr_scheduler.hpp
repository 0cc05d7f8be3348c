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
/// after k steps are PyTorch's (Python's) after k steps. A schedule that resumes (`last_epoch` other than -1) takes the
/// rates that the optimizer's state brought along for those of its first epoch where they follow from each other.
class LRScheduler : public SchedulerBase {
public:
    explicit LRScheduler(Optimizer& optimizer, std::int64_t last_epoch = -1);
    LRScheduler(const LRScheduler&) = delete;

    /// Moves on by one epoch. Warns when the optimizer has not stepped before the first call.
    void step();
    /// Goes to `epoch`, which may lie before the present one: the rates are those of so many steps from the first rates
    /// on, whatever was in between (MultiplicativeLR and SWALR: one step from the present rates). ValueError for a
    /// negative epoch, and for a fraction, which CosineAnnealingWarmRestarts alone knows.
    void step(double epoch);
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
    /// The rates of `last_epoch()` from the first rates alone, for classes whose `get_lrs` looks at the current ones.
    virtual std::vector<double> get_closed_form_lrs() { return get_lrs(); }
    /// Makes `epoch` the present one; the rates follow.
    virtual void set_epoch(double epoch);
    std::vector<double> get_current_lrs() const;
    /// Sets the rates of epoch 0 (or of the epoch resumed from).
    void initial_step();
    /// Sets the rates of epoch 0 when this schedule's turn comes, which may be long after it was made.
    virtual void restart();
    void set_rates(const std::vector<double>& rates);
    /// The options, for state dicts; null for none.
    virtual Fields* options_fields() { return nullptr; }
    /// Changing members beside the epoch.
    virtual void save_state(ValueDict& dict) const { (void)dict; }
    virtual void load_state(const ValueDict& dict) { (void)dict; }
    /// Scales each current rate.
    std::vector<double> scaled(double factor) const;
    /// Scales each first rate.
    std::vector<double> scaled_base(double factor) const;
    /// ValueError when the optimizer has another number of groups than the schedule was made for.
    void check_groups() const;

    Optimizer& optimizer_;
    std::int64_t last_epoch_;
    unsigned step_count_ = 0; ///< calls of `step`, the one in progress included
    bool is_initial_ = false; ///< does `initial_step` ask for the rates?
    std::vector<double> base_lrs_, last_lr_;

private:
    friend class SequentialLR;
    friend class ChainedScheduler;
    void begin_step();
    virtual void advance();
    virtual void start() { initial_step(); }
};

namespace lr_scheduler {
using optim::LRScheduler;
}

} // namespace reel::optim
