// Rates that swing between two bounds.
#pragma once

#include <functional>

#include <reel/optim/lr_scheduler.hpp>

namespace reel::optim {

struct CyclicLROptions : SchedulerOptions {
    void fields(FieldVisitor& v) override;
    PerGroup base_lr, max_lr, base_momentum = 0.8, max_momentum = 0.9;
    std::int64_t step_size_up = 2000;
    std::optional<std::int64_t> step_size_down; ///< nullopt: as step_size_up
    std::string mode = "triangular";            ///< or `triangular2` (halved each cycle), `exp_range` (gamma^step)
    double gamma = 1;
    std::string scale_mode = "cycle"; ///< what `scale_fn` gets: `cycle` or `iterations`
    bool cycle_momentum = true;       ///< momentum (or the first of the betas) swings the other way
    /// Replaces what `mode` says.
    std::function<double(double)> scale_fn;
};

/// From `base_lr` up to `max_lr` in `step_size_up` steps and back. L. N. Smith, 2017.
/// Errors: ValueError for an unknown mode or an optimizer without momentum while `cycle_momentum` is on.
class CyclicLR : public LRScheduler {
public:
    static constexpr const char* class_name = "CyclicLR";
    CyclicLR(Optimizer& optimizer, CyclicLROptions options);
    CyclicLR(Optimizer& optimizer, double base_lr, double max_lr, std::int64_t step_size_up = 2000);

protected:
    std::vector<double> get_lrs() override;
    Fields* options_fields() override { return &options_; }

private:
    double scale(double cycle) const;
    CyclicLROptions options_;
    std::vector<double> max_lrs_, base_momenta_, max_momenta_;
};
namespace lr_scheduler {
using optim::CyclicLR;
}

} // namespace reel::optim
