#include <reel/rl/collectors/collector.hpp>

#include "collectors/env_runner.hpp"
#include "detail/seeds.hpp"

namespace reel::rl {

Collector::Collector(EnvPtr env, Policy policy, CollectorOptions options)
    : DataCollectorBase("Collector", std::move(options)) {
    runner_ = std::make_unique<detail::EnvRunner>(whose(), std::move(env), std::move(policy), this->options());
    set_environments(runner_->env().numel());
    runner_->seed_generator(detail::drawn_seed());
}
Collector::~Collector() = default;

EnvBase& Collector::env() const { return runner_->env(); }
void Collector::reset() { runner_->reset(); }
std::int64_t Collector::set_seed(std::int64_t seed) { return runner_->set_seed(seed); }
void Collector::shutdown() { runner_->env().close(); }
TensorDict Collector::collect(std::int64_t steps, bool random) { return runner_->collect(steps, random); }
TensorDict Collector::collection_state() const { return runner_->state_dict(); }
void Collector::load_collection_state(const TensorDict& state) { runner_->load_state_dict(state); }

} // namespace reel::rl
