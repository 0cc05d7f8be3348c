#include <reel/autograd/ops/factory/zeros.hpp>
#include <reel/autograd/ops/pointwise/logical.hpp>
#include <reel/autograd/ops/reduce/statistics.hpp>
#include <reel/rl/envs/check_env_specs.hpp>

#include "specs/spec_impl.hpp"

namespace reel::rl {
namespace {

/// Checks what an environment returns, one dictionary at a time.
class Checker {
public:
    Checker(const EnvBase& env, bool check_dtype) : env_(env), check_dtype_(check_dtype) {}

    void root(const TensorDict& td, const std::string& where) const {
        all(env_.full_observation_spec(), td, where);
        all(env_.full_done_spec(), td, where);
    }
    void taken(const TensorDict& td, const std::string& where) const {
        root(td, where);
        all(env_.full_action_spec(), td, where);
        const TensorDict next = td.dict("next");
        root(next, where + ", next");
        all(env_.full_reward_spec(), next, where + ", next");
        const TensorDict expected = env_.fake_tensordict().dict("next");
        for (const NestedKey& key : next.keys(true, true))
            REEL_CHECK(expected.contains(key), env_.name(), ": ", where, ", next: the entry ", key.str(),
                       " is in none of the specs (observation, reward, done)");
    }

private:
    void all(const Composite& specs, const TensorDict& td, const std::string& where) const {
        REEL_CHECK(td.batch_size() == env_.batch_size(), env_.name(), ": ", where, ": expected batch size ",
                   detail::sizes_text(env_.batch_size()), ", got ", detail::sizes_text(td.batch_size()));
        for (const NestedKey& key : specs.leaf_keys()) {
            const TensorSpec& spec = specs[key];
            const Entry* entry = td.find(key);
            REEL_CHECK(entry && entry->is_tensor(), env_.name(), ": ", where, ": there is no entry ", key.str(),
                       ", which the specs say is ", spec.summary());
            Tensor value = entry->tensor();
            REEL_CHECK(value.sizes().equals(spec.shape()), env_.name(), ": ", where, ": expected the entry ", key.str(),
                       " of ", spec.summary(), ", got sizes ", detail::sizes_text(value.sizes().vec()));
            if (!check_dtype_ && value.scalar_type() != spec.dtype()) value = value.to(spec.dtype());
            try {
                spec.check(value, str(env_.name(), ": ", where, ": the entry ", key.str()));
            } catch (const ValueError& error) {
                throw Error(error.msg());
            }
        }
    }

    const EnvBase& env_;
    bool check_dtype_;
};

} // namespace

void check_env_specs(EnvBase& env, const CheckEnvSpecsOptions& options) {
    REEL_CHECK_VALUE(options.max_steps() >= 1, "check_env_specs: expected at least one step, got max_steps ",
                     options.max_steps());
    if (options.seed()) env.set_seed(*options.seed());
    const Checker checker(env, options.check_dtype());
    TensorDict td = env.reset();
    for (std::int64_t i = 0; i < options.max_steps(); ++i) {
        checker.root(td, str("root of step ", i));
        auto [taken, next] = env.step_and_maybe_reset(env.rand_action(td));
        checker.taken(taken, str("step ", i));
        td = next;
    }
    // a reset of all, and of the first environment alone
    checker.root(env.reset(), "reset");
    if (!env.batch_size().empty() && env.numel() > 1 && env.reset_keys().size() == 1 &&
        env.reset_keys()[0].size() == 1) {
        Tensor mask = reel::zeros(env.batch_size(), TensorOptions(kBool));
        mask.reshape({-1}).index_put_({0}, true);
        TensorDict asked = td.clone(false);
        asked.set("_reset", mask);
        const TensorDict partly = env.reset(asked);
        checker.root(partly, "partial reset");
        for (const NestedKey& key : env.full_observation_spec().leaf_keys()) {
            const Tensor kept = reel::logical_not(mask);
            REEL_CHECK(reel::equal(partly[key][kept], td[key][kept]), env.name(), ": partial reset: the entry ",
                       key.str(), " changed in environments whose mask is false");
        }
    }
    checker.taken(env.rollout(1).index({"...", 0}), "rollout");
}

} // namespace reel::rl
