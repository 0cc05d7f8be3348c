// Several environments as one, stepped by several threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <reel/rl/envs/env_base.hpp>

namespace reel::rl {

struct VectorEnvOptions {
    /// Threads that step the environments, the calling one among them; 0: as many as the machine has, at most one for
    /// each environment.
    REEL_ARG(std::int64_t, num_threads) = 0;
};

/// n environments of one kind as an environment of batch size [n, *batch_size of one]. Each is made by a factory and
/// belongs to one thread, so what they do is the same for any number of threads. Environment i is seeded with number
/// i + 1 of the SplitMix64 sequence of the given seed (of one drawn from the default generator when it is made).
///
/// What one environment throws comes out of `reset` or `step` with its number in the message: errors of Reel keep their
/// type and get a context line, others become Error. The others have made their step by then, so all must be reset
/// before the next one (Error).
/// Errors of the constructor: ValueError without environments, for a number of threads below 0, for specs that differ
/// from the first one's, for a factory that returns nothing or an environment that is there already.
class VectorEnv : public EnvBase {
public:
    using Factory = std::function<EnvPtr()>;
    VectorEnv(std::int64_t n, const Factory& make, const VectorEnvOptions& options = {});
    explicit VectorEnv(const std::vector<Factory>& make, const VectorEnvOptions& options = {});
    ~VectorEnv() override; ///< ends the threads
    VectorEnv(VectorEnv&&) noexcept;

    /// "VectorEnv(8 x CartPole)".
    std::string name() const override;
    std::int64_t num_envs() const;
    std::int64_t num_threads() const;
    /// Environment `i` itself. IndexError.
    EnvBase& env(std::int64_t i) const;
    Tensor render(std::int64_t index = 0) const override;
    std::pair<std::int64_t, std::int64_t> render_size() const override;
    void close() override;

protected:
    TensorDict do_reset(const std::optional<TensorDict>& td) override;
    TensorDict do_step(const TensorDict& td) override;
    void do_set_seed(std::int64_t seed) override;
    void do_state_dict(TensorDict& state) const override;
    void do_load_state_dict(const TensorDict& state) override;

private:
    struct Parts;
    std::vector<char> to_reset(const std::optional<TensorDict>& td) const;
    template <class F> void each(const F& work);
    std::unique_ptr<Parts> parts_;
};
/// The same by another name.
using ParallelEnv = VectorEnv;

} // namespace reel::rl
