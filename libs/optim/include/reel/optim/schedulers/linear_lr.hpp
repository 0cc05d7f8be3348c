// A linear ramp of the rate.
#pragma once

#include <reel/optim/lr_scheduler.hpp>

namespace reel::optim {

struct LinearLROptions : SchedulerOptions {
    void fields(FieldVisitor& v) override;
    double start_factor = 1.0 / 3;
    double end_factor = 1;
    std::int64_t total_iters = 5;
};

/// The rate times a factor that goes from `start_factor` to `end_factor` in `total_iters` epochs.
class LinearLR : public LRScheduler {
public:
    static constexpr const char* class_name = "LinearLR";
    LinearLR(Optimizer& optimizer, LinearLROptions options);
    LinearLR(Optimizer& optimizer, double start_factor = 1.0 / 3, double end_factor = 1, std::int64_t total_iters = 5)
        : LinearLR(optimizer, make(start_factor, end_factor, total_iters)) {}

protected:
    std::vector<double> get_lrs() override;
    std::vector<double> get_closed_form_lrs() override;
    Fields* options_fields() override { return &options_; }

private:
    static LinearLROptions make(double start_factor, double end_factor, std::int64_t total_iters) {
        LinearLROptions o;
        o.start_factor = start_factor;
        o.end_factor = end_factor;
        o.total_iters = total_iters;
        return o;
    }

    LinearLROptions options_;
};
namespace lr_scheduler {
using optim::LinearLR;
}

} // namespace reel::optim
