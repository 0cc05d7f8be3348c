// Half a cosine from the first rate to a least one, and back.
#pragma once

#include <reel/optim/lr_scheduler.hpp>

namespace reel::optim {

struct CosineAnnealingLROptions : SchedulerOptions {
    void fields(FieldVisitor& v) override;
    std::int64_t T_max = 0;
    double eta_min = 0;
};

/// eta_min + (base - eta_min) (1 + cos(pi epoch / T_max)) / 2, computed from the current rate, so that it composes.
class CosineAnnealingLR : public LRScheduler {
public:
    static constexpr const char* class_name = "CosineAnnealingLR";
    CosineAnnealingLR(Optimizer& optimizer, CosineAnnealingLROptions options);
    CosineAnnealingLR(Optimizer& optimizer, std::int64_t T_max, double eta_min = 0)
        : CosineAnnealingLR(optimizer, make(T_max, eta_min)) {}

protected:
    std::vector<double> get_lrs() override;
    std::vector<double> get_closed_form_lrs() override;
    Fields* options_fields() override { return &options_; }

private:
    static CosineAnnealingLROptions make(std::int64_t T_max, double eta_min) {
        CosineAnnealingLROptions o;
        o.T_max = T_max;
        o.eta_min = eta_min;
        return o;
    }

    CosineAnnealingLROptions options_;
};
namespace lr_scheduler {
using optim::CosineAnnealingLR;
}

} // namespace reel::optim
