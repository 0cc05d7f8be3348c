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
/// as long. I. Loshchilov, F. Hutter: SGDR, 2017.
class CosineAnnealingWarmRestarts : public LRScheduler {
public:
    static constexpr const char* class_name = "CosineAnnealingWarmRestarts";
    CosineAnnealingWarmRestarts(Optimizer& optimizer, CosineAnnealingWarmRestartsOptions options);
    CosineAnnealingWarmRestarts(Optimizer& optimizer, std::int64_t T_0, std::int64_t T_mult = 1, double eta_min = 0);

protected:
    std::vector<double> get_lrs() override;
    Fields* options_fields() override { return &options_; }
    void save_state(ValueDict& dict) const override;

private:
    /// Position in the current period and its length, from the epoch alone.
    std::pair<std::int64_t, std::int64_t> position() const;
    CosineAnnealingWarmRestartsOptions options_;
};
namespace lr_scheduler {
using optim::CosineAnnealingWarmRestarts;
}

} // namespace reel::optim
