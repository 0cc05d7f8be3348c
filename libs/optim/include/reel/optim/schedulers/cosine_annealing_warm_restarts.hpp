// Cosine annealing that starts over.
#pragma once

#include <reel/optim/lr_scheduler.hpp>

namespace reel::optim {

struct CosineAnnealingWarmRestartsOptions : SchedulerOptions {
    void fields(FieldVisitor& v) override;
    std::int64_t T_0 = 1, T_mult = 1;
    double eta_min = 0;
};

/// eta_min + (base - eta_min) (1 + cos(pi T_cur / T_i)) / 2; the first period is T_0 epochs, each next one T_mult times
/// as long. `step(epoch)` takes fractions, for a rate that changes with every batch: `step(epoch + i / batches)`; calls
/// without it go on by whole epochs from there. I. Loshchilov, F. Hutter: SGDR, 2017.
class CosineAnnealingWarmRestarts : public LRScheduler {
public:
    static constexpr const char* class_name = "CosineAnnealingWarmRestarts";
    CosineAnnealingWarmRestarts(Optimizer& optimizer, CosineAnnealingWarmRestartsOptions options);
    CosineAnnealingWarmRestarts(Optimizer& optimizer, std::int64_t T_0, std::int64_t T_mult = 1, double eta_min = 0);

protected:
    std::vector<double> get_lrs() override;
    void set_epoch(double epoch) override;
    void restart() override { set_epoch(0); }
    Fields* options_fields() override { return &options_; }
    void save_state(ValueDict& dict) const override;
    void load_state(const ValueDict& dict) override;

private:
    void advance() override;
    /// Finds the position in the periods.
    void go_to(double epoch);
    CosineAnnealingWarmRestartsOptions options_;
    double position_ = 0;     ///< in the current period
    std::int64_t length_ = 1; ///< of the current period
};
namespace lr_scheduler {
using optim::CosineAnnealingWarmRestarts;
}

} // namespace reel::optim
