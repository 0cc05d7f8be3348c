// A rate that decays geometrically.
#pragma once

#include <reel/optim/lr_scheduler.hpp>

namespace reel::optim {

struct ExponentialLROptions : SchedulerOptions {
    void fields(FieldVisitor& v) override;
    double gamma = 0;
};

/// Multiplies the rate by `gamma` every epoch.
class ExponentialLR : public LRScheduler {
public:
    static constexpr const char* class_name = "ExponentialLR";
    ExponentialLR(Optimizer& optimizer, ExponentialLROptions options);
    ExponentialLR(Optimizer& optimizer, double gamma) : ExponentialLR(optimizer, make(gamma)) {}

protected:
    std::vector<double> get_lrs() override;
    std::vector<double> get_closed_form_lrs() override;
    Fields* options_fields() override { return &options_; }

private:
    static ExponentialLROptions make(double gamma) {
        ExponentialLROptions o;
        o.gamma = gamma;
        return o;
    }

    ExponentialLROptions options_;
};
namespace lr_scheduler {
using optim::ExponentialLR;
}

} // namespace reel::optim
