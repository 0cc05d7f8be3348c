#include <reel/rl/envs/vector_env.hpp>

#include <algorithm>
#include <thread>

#include <reel/autograd/ops.hpp>

#include "detail/rows.hpp"
#include "detail/seeds.hpp"
#include "detail/team.hpp"

namespace reel::rl {

struct VectorEnv::Parts {
    std::vector<EnvPtr> envs;
    std::vector<std::optional<TensorDict>> results; ///< of the present step
    detail::Rows rows{"VectorEnv"};
    bool failed = false; ///< not all have made the same steps
    detail::Team team;   ///< ends before what its threads use

    Parts(std::vector<EnvPtr> made, std::size_t threads) : envs(std::move(made)), results(envs.size()), team(threads) {}
};

namespace {
std::string key_of(std::size_t i) { return "env" + std::to_string(i); }

std::vector<EnvPtr> made_by(const std::vector<VectorEnv::Factory>& make) {
    REEL_CHECK_VALUE(!make.empty(), "VectorEnv: expected at least one environment, got none");
    std::vector<EnvPtr> envs;
    for (const VectorEnv::Factory& factory : make) {
        const std::size_t i = envs.size();
        REEL_CHECK_VALUE(factory, "VectorEnv: factory ", i, " is empty");
        EnvPtr env = factory();
        REEL_CHECK_VALUE(env, "VectorEnv: factory ", i, " returned no environment");
        const auto same = std::find(envs.begin(), envs.end(), env);
        REEL_CHECK_VALUE(same == envs.end(), "VectorEnv: factory ", i, " returned environment ", same - envs.begin(),
                         " again; each needs one of its own");
        REEL_CHECK_VALUE(envs.empty() || env->specs() == envs[0]->specs(), "VectorEnv: the specs of environment ", i,
                         " (", env->name(), ", batch size ", IntArrayRef(env->batch_size()),
                         ") differ from those of environment 0 (", envs[0]->name(), ", batch size ",
                         IntArrayRef(envs[0]->batch_size()), ")");
        envs.push_back(std::move(env));
    }
    return envs;
}
std::vector<VectorEnv::Factory> repeated(std::int64_t n, const VectorEnv::Factory& make) {
    REEL_CHECK_VALUE(n >= 1, "VectorEnv: expected at least one environment, got ", n);
    return std::vector<VectorEnv::Factory>(std::size_t(n), make);
}
std::size_t threads_for(std::int64_t asked, std::size_t envs) {
    REEL_CHECK_VALUE(asked >= 0, "VectorEnv: num_threads must not be negative, got ", asked);
    const std::size_t wanted =
        asked ? std::size_t(asked) : std::max<std::size_t>(std::thread::hardware_concurrency(), 1);
    return std::min(wanted, envs);
}
EnvSpecs stacked(const EnvSpecs& one, std::size_t n) {
    EnvSpecs all = one;
    all.batch_size.insert(all.batch_size.begin(), std::int64_t(n));
    for (Composite* c : {&all.action, &all.observation, &all.reward, &all.done}) *c = c->expand(all.batch_size);
    return all;
}
} // namespace

VectorEnv::VectorEnv(std::int64_t n, const Factory& make, const VectorEnvOptions& options)
    : VectorEnv(repeated(n, make), options) {}
VectorEnv::VectorEnv(const std::vector<Factory>& make, const VectorEnvOptions& options) {
    const std::size_t threads = threads_for(options.num_threads(), make.size());
    parts_ = std::make_unique<Parts>(made_by(make), threads);
    set_specs(stacked(parts_->envs[0]->specs(), make.size()));
    set_action_check(parts_->envs[0]->action_check());
    for (const EnvPtr& env : parts_->envs) env->set_action_check(ActionCheck::None); // checked once, for all
    do_set_seed(detail::drawn_seed());
}
VectorEnv::VectorEnv(VectorEnv&&) noexcept = default;
VectorEnv::~VectorEnv() = default;

std::string VectorEnv::name() const {
    return "VectorEnv(" + std::to_string(num_envs()) + " x " + parts_->envs[0]->name() + ")";
}
std::int64_t VectorEnv::num_envs() const { return std::int64_t(parts_->envs.size()); }
std::int64_t VectorEnv::num_threads() const { return std::int64_t(parts_->team.size()); }
EnvBase& VectorEnv::env(std::int64_t i) const {
    REEL_CHECK_INDEX(i >= 0 && i < num_envs(), "VectorEnv.env: there is no environment ", i, " among ", num_envs());
    return *parts_->envs[std::size_t(i)];
}

/// Calls `work(i)` in the thread of environment i; afterwards `results` are theirs.
template <class F> void VectorEnv::each(const F& work) {
    Parts& p = *parts_;
    p.failed = true; // until all is well
    detail::throw_first(p.team.run(p.envs.size(), work), "VectorEnv");
    p.failed = false;
}

TensorDict VectorEnv::do_reset(const std::optional<TensorDict>& td) {
    Parts& p = *parts_;
    const std::size_t n = p.envs.size();
    std::vector<std::optional<TensorDict>> parts(n);
    std::vector<bool> wanted(n, true);
    bool partial = false;
    for (const NestedKey& key : reset_keys()) partial = partial || (td && td->contains(key));
    if (partial) {
        REEL_CHECK(!p.failed, name(),
                   ".reset: an environment has thrown, so the others are a step ahead of it; reset all, "
                   "without a mask");
        for (std::size_t i = 0; i < n; ++i) {
            parts[i] = (*td)[std::int64_t(i)];
            wanted[i] = false;
            for (const NestedKey& key : reset_keys()) {
                const std::optional<Tensor> mask = parts[i]->get(key);
                wanted[i] = wanted[i] || !mask || mask->any().item<bool>();
            }
        }
    }
    each([&](std::size_t i) {
        p.results[i] = wanted[i] ? std::optional(reset_part(*p.envs[i], parts[i])) : std::nullopt;
    });
    std::size_t first = 0;
    while (!p.results[first]) ++first; // `reset` calls nobody for masks without a true element
    p.rows.start(std::int64_t(n), 0);
    p.rows.write(std::int64_t(first), *p.results[first]);
    for (std::size_t i = 0; i < n; ++i) {
        if (i != first)
            p.rows.write(std::int64_t(i), *p.results[p.results[i] ? i : first]); // others' rows are not read
        if (i != first) p.results[i].reset();
    }
    p.results[first].reset();
    return p.rows.take();
}

TensorDict VectorEnv::do_step(const TensorDict& td) {
    Parts& p = *parts_;
    REEL_CHECK(!p.failed, name(),
               ".step: an environment has thrown, so the others are a step ahead of it; reset first");
    std::vector<TensorDict> inputs;
    inputs.reserve(p.envs.size());
    const TensorDict without_next = td.contains("next") ? td.exclude({"next"}) : td;
    for (std::size_t i = 0; i < p.envs.size(); ++i) inputs.push_back(without_next[std::int64_t(i)]);
    each([&](std::size_t i) { p.results[i] = step_part(*p.envs[i], inputs[i]); });
    p.rows.start(num_envs(), 0);
    for (std::size_t i = 0; i < p.envs.size(); ++i) {
        p.rows.write(std::int64_t(i), *p.results[i]);
        p.results[i].reset();
    }
    return p.rows.take();
}

void VectorEnv::do_set_seed(std::int64_t seed) {
    for (std::size_t i = 0; i < parts_->envs.size(); ++i)
        parts_->envs[i]->set_seed(detail::seed_of_part(seed, std::int64_t(i)));
}
void VectorEnv::do_state_dict(TensorDict& state) const {
    for (std::size_t i = 0; i < parts_->envs.size(); ++i) state.set(key_of(i), parts_->envs[i]->state_dict());
}
void VectorEnv::do_load_state_dict(const TensorDict& state) {
    std::vector<TensorDict> before;
    try {
        for (std::size_t i = 0; i < parts_->envs.size(); ++i) {
            const TensorDict part = state.dict(key_of(i));
            before.push_back(parts_->envs[i]->state_dict());
            parts_->envs[i]->load_state_dict(part);
        }
    } catch (...) { // the one that refused is as it was
        for (std::size_t i = 0; i + 1 < before.size(); ++i) parts_->envs[i]->load_state_dict(before[i]);
        throw;
    }
    parts_->failed = false;
}

Tensor VectorEnv::render(std::int64_t index) const {
    REEL_CHECK_INDEX(index >= 0 && index < numel(), name(), ".render: there is no environment ", index, " among ",
                     numel());
    const std::int64_t inner = parts_->envs[0]->numel();
    return parts_->envs[std::size_t(index / inner)]->render(index % inner);
}
std::pair<std::int64_t, std::int64_t> VectorEnv::render_size() const { return parts_->envs[0]->render_size(); }
void VectorEnv::close() {
    EnvBase::close();
    for (const EnvPtr& env : parts_->envs) env->close();
}

} // namespace reel::rl
