// A smaller rate at given epochs.
#pragma once

#include <reel/optim/lr_scheduler.hpp>

namespace reel::optim {

struct MultiStepLROptions : SchedulerOptions {
    void fields(FieldVisitor& v) override;
    std::vector<std::int64_t> milestones = {};
    double gamma = 0.1;
};

/// Multiplies the rate by `gamma` at each of `milestones`, as often as it is listed.
class MultiStepLR : public LRScheduler {
public:
    static constexpr const char* class_name = "MultiStepLR";
    MultiStepLR(Optimizer& optimizer, MultiStepLROptions options);
    MultiStepLR(Optimizer& optimizer, std::vector<std::int64_t> milestones, double gamma = 0.1)
        : MultiStepLR(optimizer, make(milestones, gamma)) {}

protected:
    std::vector<double> get_lrs() override;
    std::vector<double> get_closed_form_lrs() override;
    Fields* options_fields() override { return &options_; }

private:
    static MultiStepLROptions make(std::vector<std::int64_t> milestones, double gamma) {
        MultiStepLROptions o;
        o.milestones = std::move(milestones);
        o.gamma = gamma;
        return o;
    }

    MultiStepLROptions options_;
};
namespace lr_scheduler {
using optim::MultiStepLR;
}

} // namespace reel::optim
