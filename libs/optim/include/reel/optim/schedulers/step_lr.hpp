// A smaller rate every few epochs.
#pragma once

#include <reel/optim/lr_scheduler.hpp>

namespace reel::optim {

struct StepLROptions : SchedulerOptions {
    void fields(FieldVisitor& v) override;
    std::int64_t step_size = 0;
    double gamma = 0.1;
};

/// Multiplies the rate by `gamma` after every `step_size` epochs.
class StepLR : public LRScheduler {
public:
    static constexpr const char* class_name = "StepLR";
    StepLR(Optimizer& optimizer, StepLROptions options);
    StepLR(Optimizer& optimizer, std::int64_t step_size, double gamma = 0.1)
        : StepLR(optimizer, make(step_size, gamma)) {}

protected:
    std::vector<double> get_lrs() override;
    std::vector<double> get_closed_form_lrs() override;
    Fields* options_fields() override { return &options_; }

private:
    static StepLROptions make(std::int64_t step_size, double gamma) {
        StepLROptions o;
        o.step_size = step_size;
        o.gamma = gamma;
        return o;
    }

    StepLROptions options_;
};
namespace lr_scheduler {
using optim::StepLR;
}

} // namespace reel::optim
