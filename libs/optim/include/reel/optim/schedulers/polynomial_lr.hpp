// A rate that falls to zero by a power of the time left.
#pragma once

#include <reel/optim/lr_scheduler.hpp>

namespace reel::optim {

struct PolynomialLROptions : SchedulerOptions {
    void fields(FieldVisitor& v) override;
    std::int64_t total_iters = 5;
    double power = 1;
};

/// base (1 - epoch / total_iters)^power, then 0.
class PolynomialLR : public LRScheduler {
public:
    static constexpr const char* class_name = "PolynomialLR";
    PolynomialLR(Optimizer& optimizer, PolynomialLROptions options);
    PolynomialLR(Optimizer& optimizer, std::int64_t total_iters = 5, double power = 1)
        : PolynomialLR(optimizer, make(total_iters, power)) {}

protected:
    std::vector<double> get_lrs() override;
    std::vector<double> get_closed_form_lrs() override;
    Fields* options_fields() override { return &options_; }

private:
    static PolynomialLROptions make(std::int64_t total_iters, double power) {
        PolynomialLROptions o;
        o.total_iters = total_iters;
        o.power = power;
        return o;
    }

    PolynomialLROptions options_;
};
namespace lr_scheduler {
using optim::PolynomialLR;
}

} // namespace reel::optim
