// How target networks follow.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <reel/nn/module_holder.hpp>
#include <reel/nn/options.hpp>
#include <reel/rl/objectives/loss_module.hpp>

namespace reel::rl {

/// Moves the copies that a loss keeps towards its networks, in place and without gradients; entries that are not
/// floating (counters) are copied. The loss must outlive it. ValueError when the loss has no delayed network.
class TargetNetUpdater {
public:
    virtual ~TargetNetUpdater();
    /// Makes the copies equal to the networks.
    void init_();
    virtual void step() = 0;

protected:
    TargetNetUpdater(const char* name, LossModule& loss);
    void move(double weight); ///< target += weight (source - target)

private:
    std::vector<std::pair<Tensor, Tensor>> pairs_; ///< source, target
};

struct SoftUpdateOptions {
    /// target = eps target + (1 - eps) source; or tau = 1 - eps. Exactly one of them.
    REEL_ARG(std::optional<double>, eps);
    REEL_ARG(std::optional<double>, tau);
};
/// Polyak averaging: `SoftUpdate updater(loss, SoftUpdateOptions().tau(0.005)); ... updater.step();` (Lillicrap et al.,
/// "Continuous control with deep reinforcement learning", 2016). ValueError unless one of both is given and within
/// [0, 1].
class SoftUpdate : public TargetNetUpdater {
public:
    SoftUpdate(LossModule& loss, const SoftUpdateOptions& options);
    template <class C>
    SoftUpdate(const nn::ModuleHolder<C>& loss, const SoftUpdateOptions& options) : SoftUpdate(*loss, options) {}
    void step() override;
    double tau() const { return tau_; }

private:
    double tau_;
};

/// Copies at every `value_network_update_interval`-th step. (The Python package does at every one more.)
class HardUpdate : public TargetNetUpdater {
public:
    explicit HardUpdate(LossModule& loss, std::int64_t value_network_update_interval = 1000);
    template <class C>
    explicit HardUpdate(const nn::ModuleHolder<C>& loss, std::int64_t value_network_update_interval = 1000)
        : HardUpdate(*loss, value_network_update_interval) {}
    void step() override;
    /// Steps since the last copy: what a checkpoint has to keep.
    std::int64_t counter() const { return counter_; }
    void set_counter(std::int64_t counter) { counter_ = counter; }

private:
    std::int64_t interval_, counter_ = 0;
};

} // namespace reel::rl
