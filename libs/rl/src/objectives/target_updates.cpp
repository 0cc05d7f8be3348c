#include <reel/rl/objectives/target_updates.hpp>

#include <reel/autograd/grad_mode.hpp>

namespace reel::rl {

TargetNetUpdater::TargetNetUpdater(const char* name, LossModule& loss) {
    for (const auto& [source, target] : loss.target_networks()) {
        const auto pair_up = [&](const auto& from, const auto& to) {
            for (const auto& item : from) {
                const Tensor* other = to.find(item.key());
                REEL_CHECK_WITH(KeyError, other, name, ": the target network has no entry '", item.key(), "'");
                REEL_CHECK_VALUE(other->sizes().equals(item->sizes()), name, ": the entry '", item.key(),
                                 "' has shape ", item->sizes(), " in the network and ", other->sizes(),
                                 " in its target");
                pairs_.emplace_back(*item, *other);
            }
        };
        pair_up(source->named_parameters(), target->named_parameters());
        pair_up(source->named_buffers(), target->named_buffers());
    }
    REEL_CHECK_VALUE(!pairs_.empty(), name,
                     ": the loss has no delayed network; make it with delay_value(true) or "
                     "delay_qvalue(true)");
}
TargetNetUpdater::~TargetNetUpdater() = default;
void TargetNetUpdater::move(double weight) {
    const NoGradGuard no_grad;
    for (const auto& [source, target] : pairs_) {
        if (weight == 1 || !target.is_floating_point()) target.copy_(source);
        else target.lerp_(source, weight);
    }
}
void TargetNetUpdater::init_() { move(1); }

namespace {
double checked_tau(const SoftUpdateOptions& o) {
    REEL_CHECK_VALUE(o.eps().has_value() != o.tau().has_value(), "SoftUpdate: expected either eps or tau, got ",
                     o.eps() ? "both" : "neither");
    const double given = o.eps() ? *o.eps() : *o.tau();
    REEL_CHECK_VALUE(given >= 0 && given <= 1, "SoftUpdate: ", o.eps() ? "eps" : "tau", " is ", given,
                     ", expected a number within [0, 1]");
    return o.eps() ? 1 - *o.eps() : *o.tau();
}
} // namespace

SoftUpdate::SoftUpdate(LossModule& loss, const SoftUpdateOptions& options)
    : TargetNetUpdater("SoftUpdate", loss), tau_(checked_tau(options)) {}
void SoftUpdate::step() { move(tau_); }

HardUpdate::HardUpdate(LossModule& loss, std::int64_t value_network_update_interval)
    : TargetNetUpdater("HardUpdate", loss), interval_(value_network_update_interval) {
    REEL_CHECK_VALUE(interval_ > 0, "HardUpdate: value_network_update_interval is ", interval_,
                     ", expected a positive number");
}
void HardUpdate::step() {
    if (++counter_ < interval_) return;
    counter_ = 0;
    move(1);
}

} // namespace reel::rl
