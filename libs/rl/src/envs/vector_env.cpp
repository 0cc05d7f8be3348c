#include <reel/rl/envs/vector_env.hpp>

#include <algorithm>
#include <cstring>
#include <thread>

#include "detail/rows.hpp"
#include "detail/seeds.hpp"
#include "detail/team.hpp"

namespace reel::rl {

struct VectorEnv::Parts {
    std::vector<EnvPtr> envs;
    /// Of the last step or reset: kept, so that the thread that made one also frees it.
    std::vector<std::optional<TensorDict>> results;
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

/// Which environments the masks in `td` touch; empty without masks.
std::vector<char> VectorEnv::to_reset(const std::optional<TensorDict>& td) const {
    static_cast<void>(reset_mask(td)); // an Error for one that does not fit
    std::vector<Tensor> masks;
    for (const NestedKey& key : reset_keys())
        if (const Entry* mask = td ? td->find(key) : nullptr) masks.push_back(mask->tensor().to(kBool).contiguous());
    if (masks.empty()) return {};
    const std::size_t n = parts_->envs.size();
    std::vector<char> wanted(n, masks.size() < reset_keys().size()); // groups without a mask are reset
    for (const Tensor& mask : masks) {
        const std::size_t each = std::size_t(mask.numel()) / n;
        for (std::size_t i = 0; i < n && each > 0; ++i)
            if (std::memchr(mask.data_ptr<bool>() + i * each, 1, each)) wanted[i] = 1;
    }
    return wanted;
}

TensorDict VectorEnv::do_reset(const std::optional<TensorDict>& td) {
    Parts& p = *parts_;
    const std::size_t n = p.envs.size();
    const std::vector<char> wanted = to_reset(td);
    const bool partial = !wanted.empty();
    REEL_CHECK(!partial || !p.failed, name(),
               ".reset: an environment has thrown, so the others are a step ahead of it; reset all, without a mask");
    each([&](std::size_t i) {
        if (!partial) p.results[i] = reset_part(*p.envs[i], std::nullopt);
        else if (wanted[i]) p.results[i] = reset_part(*p.envs[i], (*td)[std::int64_t(i)]);
        else p.results[i].reset();
    });
    std::size_t first = 0;
    while (!p.results[first]) ++first; // `reset` calls nobody for masks without a true element
    p.rows.start(std::int64_t(n), 0);
    p.rows.write(std::int64_t(first), *p.results[first]);
    for (std::size_t i = 0; i < n; ++i) // rows of those that were not reset are not read
        if (i != first) p.rows.write(std::int64_t(i), *p.results[p.results[i] ? i : first]);
    return p.rows.take();
}

TensorDict VectorEnv::do_step(const TensorDict& td) {
    Parts& p = *parts_;
    REEL_CHECK(!p.failed, name(),
               ".step: an environment has thrown, so the others are a step ahead of it; reset first");
    const TensorDict roots = td.contains("next") ? td.exclude({"next"}) : td;
    each([&](std::size_t i) { p.results[i] = step_part(*p.envs[i], roots[std::int64_t(i)]); });
    p.rows.start(num_envs(), 0);
    for (std::size_t i = 0; i < p.envs.size(); ++i) p.rows.write(std::int64_t(i), *p.results[i]);
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
