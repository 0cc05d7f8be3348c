#include <reel/rl/collectors/multi_collector.hpp>

#include <algorithm>
#include <string>
#include <thread>

#include "collectors/env_runner.hpp"
#include "detail/seeds.hpp"
#include "detail/team.hpp"

namespace reel::rl {

struct MultiCollector::Parts {
    std::vector<detail::EnvRunner> runners;
    std::vector<TensorDict> batches;
    detail::Team team; ///< ends before what its threads use

    Parts(std::vector<detail::EnvRunner> made, std::size_t workers)
        : runners(std::move(made)), batches(runners.size()), team(workers) {}
};

namespace {
std::string key_of(std::size_t i) { return "worker" + std::to_string(i); }

std::vector<detail::EnvRunner> runners_of(const std::vector<MultiCollector::Factory>& make, const Policy& policy,
                                          const CollectorOptions& options) {
    const char* whose = "MultiCollector";
    REEL_CHECK_VALUE(!make.empty(), whose, ": expected at least one environment, got none");
    std::vector<detail::EnvRunner> runners;
    runners.reserve(make.size());
    for (const MultiCollector::Factory& factory : make) {
        const std::size_t i = runners.size();
        REEL_CHECK_VALUE(factory, whose, ": factory ", i, " is empty");
        EnvPtr env = factory();
        REEL_CHECK_VALUE(env, whose, ": factory ", i, " returned no environment");
        runners.emplace_back(whose, std::move(env), policy, options, std::int64_t(i), std::int64_t(make.size()));
        const EnvBase &first = runners[0].env(), &made = runners[i].env();
        for (std::size_t j = 0; j < i; ++j)
            REEL_CHECK_VALUE(&runners[j].env() != &made, whose, ": factory ", i, " returned environment ", j,
                             " again; each needs one of its own");
        REEL_CHECK_VALUE(made.specs() == first.specs(), whose, ": the specs of environment ", i, " (", made.name(),
                         ", batch size ", IntArrayRef(made.batch_size()), ") differ from those of environment 0 (",
                         first.name(), ", batch size ", IntArrayRef(first.batch_size()), ")");
    }
    return runners;
}
std::size_t workers_for(std::int64_t asked, std::size_t envs) {
    REEL_CHECK_VALUE(asked >= 0, "MultiCollector: num_workers must not be negative, got ", asked);
    const std::size_t wanted =
        asked ? std::size_t(asked) : std::max<std::size_t>(std::thread::hardware_concurrency(), 1);
    return std::min(wanted, envs);
}
} // namespace

MultiCollector::MultiCollector(const std::vector<Factory>& create_env_fn, const Policy& policy,
                               CollectorOptions options, std::int64_t num_workers)
    : DataCollectorBase("MultiCollector", std::move(options)) {
    const std::size_t workers = workers_for(num_workers, std::max<std::size_t>(create_env_fn.size(), 1));
    parts_ = std::make_unique<Parts>(runners_of(create_env_fn, policy, this->options()), workers);
    set_environments(num_envs() * parts_->runners[0].env().numel());
    const std::int64_t seed = detail::drawn_seed();
    for (std::size_t i = 0; i < parts_->runners.size(); ++i)
        parts_->runners[i].seed_generator(detail::seed_of_part(seed, std::int64_t(i)));
}
MultiCollector::~MultiCollector() = default;

std::int64_t MultiCollector::num_envs() const { return std::int64_t(parts_->runners.size()); }
std::int64_t MultiCollector::num_workers() const { return std::int64_t(parts_->team.size()); }
EnvBase& MultiCollector::env(std::int64_t i) const {
    REEL_CHECK_INDEX(i >= 0 && i < num_envs(), "MultiCollector.env: there is no environment ", i, " among ",
                     num_envs());
    return parts_->runners[std::size_t(i)].env();
}
void MultiCollector::reset() {
    for (detail::EnvRunner& runner : parts_->runners) runner.reset();
}
std::int64_t MultiCollector::set_seed(std::int64_t seed) {
    for (std::size_t i = 0; i < parts_->runners.size(); ++i)
        parts_->runners[i].set_seed(detail::seed_of_part(seed, std::int64_t(i)));
    return detail::seed_of_part(seed, num_envs());
}
void MultiCollector::shutdown() {
    for (detail::EnvRunner& runner : parts_->runners) runner.env().close();
}

TensorDict MultiCollector::collect(std::int64_t steps, bool random) {
    Parts& p = *parts_;
    const auto errors =
        p.team.run(p.runners.size(), [&](std::size_t i) { p.batches[i] = p.runners[i].collect(steps, random); });
    detail::throw_first(errors, "MultiCollector");
    TensorDict batch = stack(p.batches, 0);
    for (TensorDict& b : p.batches) b = TensorDict();
    return batch;
}

TensorDict MultiCollector::collection_state() const {
    TensorDict state;
    for (std::size_t i = 0; i < parts_->runners.size(); ++i) state.set(key_of(i), parts_->runners[i].state_dict());
    return state;
}
void MultiCollector::load_collection_state(const TensorDict& state) {
    std::vector<detail::EnvRunner>& runners = parts_->runners;
    std::vector<TensorDict> before;
    try {
        for (std::size_t i = 0; i < runners.size(); ++i) {
            const TensorDict part = state.dict(key_of(i));
            before.push_back(runners[i].state_dict());
            runners[i].load_state_dict(part);
        }
        REEL_CHECK(!state.contains(key_of(runners.size())),
                   "MultiCollector.load_state_dict: the state is that of more than ", runners.size(), " environments");
    } catch (...) { // the one that refused is as it was
        for (std::size_t i = 0; i < before.size(); ++i) runners[i].load_state_dict(before[i]);
        throw;
    }
}

} // namespace reel::rl
