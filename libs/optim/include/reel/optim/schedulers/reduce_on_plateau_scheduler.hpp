// A smaller rate when a metric stops improving.
#pragma once

#include <limits>

#include <reel/optim/lr_scheduler.hpp>

namespace reel::optim {

struct ReduceLROnPlateauOptions : Fields {
    void fields(FieldVisitor& v) override;
    std::string mode = "min", threshold_mode = "rel";
    double factor = 0.1, threshold = 1e-4, eps = 1e-8;
    std::int64_t patience = 10, cooldown = 0;
    PerGroup min_lr = 0.0;
};

/// Multiplies the rate by `factor` when the metric given to `step` has not improved for more than `patience` steps.
class ReduceLROnPlateauScheduler : public SchedulerBase {
public:
    enum SchedulerMode { min, max };
    enum ThresholdMode { rel, abs };
    static constexpr const char* class_name = "ReduceLROnPlateau";
    ReduceLROnPlateauScheduler(Optimizer& optimizer, ReduceLROnPlateauOptions options);
    ReduceLROnPlateauScheduler(Optimizer& optimizer, SchedulerMode mode = min, double factor = 0.1,
                               std::int64_t patience = 10, double threshold = 1e-4, ThresholdMode threshold_mode = rel,
                               std::int64_t cooldown = 0, const std::vector<double>& min_lr = {}, double eps = 1e-8,
                               bool verbose = false);
    ReduceLROnPlateauScheduler(const ReduceLROnPlateauScheduler&) = delete;

    void step(double metric);
    void step_with(std::optional<double> metric) override;
    std::vector<double> get_last_lr() const override { return last_lr_; }
    double best() const { return best_; }
    std::int64_t num_bad_epochs() const { return num_bad_epochs_; }
    Value state_dict() const override;
    void load_state_dict(const Value& dict) override;

private:
    bool is_better(double metric) const;
    void reduce();
    std::vector<double> current_rates() const;
    Optimizer& optimizer_;
    ReduceLROnPlateauOptions options_;
    std::vector<double> min_lrs_, last_lr_;
    double best_;
    std::int64_t num_bad_epochs_ = 0, cooldown_counter_ = 0, last_epoch_ = 0;
    bool verbose_ = false;
};
using ReduceLROnPlateau = ReduceLROnPlateauScheduler;
namespace lr_scheduler {
using optim::ReduceLROnPlateau;
using optim::ReduceLROnPlateauScheduler;
} // namespace lr_scheduler

} // namespace reel::optim
