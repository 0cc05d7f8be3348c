// A smaller rate for the first epochs.
#pragma once

#include <reel/optim/lr_scheduler.hpp>

namespace reel::optim {

struct ConstantLROptions : SchedulerOptions {
    void fields(FieldVisitor& v) override;
    double factor = 1.0 / 3;
    std::int64_t total_iters = 5;
};

/// The rate times `factor` until epoch `total_iters`.
class ConstantLR : public LRScheduler {
public:
    static constexpr const char* class_name = "ConstantLR";
    ConstantLR(Optimizer& optimizer, ConstantLROptions options);
    ConstantLR(Optimizer& optimizer, double factor = 1.0 / 3, std::int64_t total_iters = 5)
        : ConstantLR(optimizer, make(factor, total_iters)) {}

protected:
    std::vector<double> get_lrs() override;
    std::vector<double> get_closed_form_lrs() override;
    Fields* options_fields() override { return &options_; }

private:
    static ConstantLROptions make(double factor, std::int64_t total_iters) {
        ConstantLROptions o;
        o.factor = factor;
        o.total_iters = total_iters;
        return o;
    }

    ConstantLROptions options_;
};
namespace lr_scheduler {
using optim::ConstantLR;
}

} // namespace reel::optim
