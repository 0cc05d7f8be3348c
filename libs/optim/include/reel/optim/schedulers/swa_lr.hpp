// The rate of stochastic weight averaging.
#pragma once

#include <reel/optim/lr_scheduler.hpp>

namespace reel::optim {

struct SWALROptions : SchedulerOptions {
    void fields(FieldVisitor& v) override;
    PerGroup swa_lr;
    std::int64_t anneal_epochs = 10;
    std::string anneal_strategy = "cos"; ///< or `linear`
};

/// From the current rate to `swa_lr` in `anneal_epochs` epochs, then constant. P. Izmailov et al., 2018.
class SWALR : public LRScheduler {
public:
    static constexpr const char* class_name = "SWALR";
    SWALR(Optimizer& optimizer, SWALROptions options);
    SWALR(Optimizer& optimizer, double swa_lr, std::int64_t anneal_epochs = 10);

protected:
    std::vector<double> get_lrs() override;
    Fields* options_fields() override { return &options_; }

private:
    double weight(double part) const;
    SWALROptions options_;
    std::vector<double> targets_;
};
namespace lr_scheduler {
using optim::SWALR;
}

} // namespace reel::optim
