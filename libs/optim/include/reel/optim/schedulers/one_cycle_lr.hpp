// One rise and one long fall of the rate.
#pragma once

#include <reel/optim/lr_scheduler.hpp>

namespace reel::optim {

struct OneCycleLROptions : SchedulerOptions {
    void fields(FieldVisitor& v) override;
    PerGroup max_lr, base_momentum = 0.85, max_momentum = 0.95;
    std::optional<std::int64_t> total_steps, epochs, steps_per_epoch; ///< the first, or both others
    double pct_start = 0.3, div_factor = 25, final_div_factor = 1e4;
    std::string anneal_strategy = "cos"; ///< or `linear`
    bool cycle_momentum = true, three_phase = false;
};

/// From max_lr / div_factor to max_lr in the first `pct_start` of the steps, then down to the first rate divided by
/// `final_div_factor`; momentum goes the other way. L. N. Smith, N. Topin, 2018.
/// Errors: ValueError without a number of steps, and for a step beyond the last.
class OneCycleLR : public LRScheduler {
public:
    static constexpr const char* class_name = "OneCycleLR";
    OneCycleLR(Optimizer& optimizer, OneCycleLROptions options);
    OneCycleLR(Optimizer& optimizer, double max_lr, std::int64_t total_steps);

protected:
    std::vector<double> get_lrs() override;
    Fields* options_fields() override { return &options_; }

private:
    double anneal(double from, double to, double part) const;
    OneCycleLROptions options_;
    std::int64_t total_;
    std::vector<double> max_lrs_, base_momenta_, max_momenta_;
};
namespace lr_scheduler {
using optim::OneCycleLR;
}

} // namespace reel::optim
