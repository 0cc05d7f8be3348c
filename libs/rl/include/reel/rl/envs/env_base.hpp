// Base of all environments.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <reel/autograd/generator.hpp>
#include <reel/nn/options.hpp>
#include <reel/rl/envs/env_specs.hpp>
#include <reel/rl/envs/step_mdp.hpp>
#include <reel/rl/policy.hpp>
#include <reel/rl/tensordict.hpp>

namespace reel::rl {

class EnvBase;
using EnvPtr = std::shared_ptr<EnvBase>;
/// An environment given by value moves into shared ownership.
template <class E>
requires std::is_base_of_v<EnvBase, std::remove_cvref_t<E>> EnvPtr as_env(E&& env) {
    return std::make_shared<std::remove_cvref_t<E>>(std::forward<E>(env));
}
inline EnvPtr as_env(EnvPtr env) { return env; }

/// What happens to an action that its spec does not contain: ValueError, the nearest that it contains takes its place,
/// or nothing.
enum class ActionCheck { Throw, Project, None };

struct RolloutOptions {
    /// Reset first; else the rollout goes on from `tensordict`.
    REEL_ARG(bool, auto_reset) = true;
    /// Stop as soon as one environment is done; else those that are done are reset and it goes on.
    REEL_ARG(bool, break_when_any_done) = true;
    /// Stop when all are done (with break_when_any_done off); those done earlier are not reset.
    REEL_ARG(bool, break_when_all_done) = false;
    /// Set "truncated" and "done" in the last step.
    REEL_ARG(bool, set_truncated) = false;
    REEL_ARG(std::optional<TensorDict>, tensordict);
};

/// An environment over dictionaries (EN-1). Its batch size is that of every dictionary it reads or writes; a single one
/// has []. A root dictionary holds what the policy saw and did, "next" in it what came of that.
///
/// Copies of an environment go on by themselves (a TransformedEnv's share the one that it transforms).
/// Derive from it, set the specs in the constructor, and implement `do_reset`, `do_step` and, where there is more to
/// seed than `generator()`, `do_set_seed`.
class EnvBase {
public:
    virtual ~EnvBase();

    /// How it is named in messages: "CartPole".
    virtual std::string name() const = 0;
    const std::vector<std::int64_t>& batch_size() const { return specs_.batch_size; }
    std::int64_t numel() const; ///< environments in the batch, at least 1

    // --- specs
    const EnvSpecs& specs() const { return specs_; }
    const Composite& full_action_spec() const { return specs_.action; }
    const Composite& full_observation_spec() const { return specs_.observation; }
    const Composite& observation_spec() const { return specs_.observation; }
    const Composite& full_reward_spec() const { return specs_.reward; }
    const Composite& full_done_spec() const { return specs_.done; }
    /// The only one of its kind; KeyError listing the keys where there are several ("done" of a group counts once).
    const TensorSpec& action_spec() const;
    const TensorSpec& reward_spec() const;
    const TensorSpec& done_spec() const;
    const std::vector<NestedKey>& action_keys() const { return action_keys_; }
    const std::vector<NestedKey>& reward_keys() const { return reward_keys_; }
    /// All flags: "done", "terminated", "truncated", or those of groups.
    const std::vector<NestedKey>& done_keys() const { return done_keys_; }
    /// Where masks of partial resets stand: "_reset" beside each group of flags.
    const std::vector<NestedKey>& reset_keys() const { return reset_keys_; }
    const NestedKey& action_key() const; ///< KeyError where there are several
    const NestedKey& reward_key() const;
    ActionCheck action_check() const { return action_check_; }
    virtual void set_action_check(ActionCheck check) { action_check_ = check; }

    // --- running
    /// A dictionary with the observations and cleared flags of a beginning. Entries of `td` that the environment does
    /// not write come along. With bool masks "_reset" in `td` (batch size, or that and a trailing 1), environments
    /// whose mask is false keep their state and what `td` holds of them.
    TensorDict reset(const std::optional<TensorDict>& td = std::nullopt);
    /// Writes the result of the action at the root of `td` as "next" and returns `td`. After an end, an environment
    /// goes on by its own rules until it is reset, as Gym's do. Errors: Error for another batch size or without a reset
    /// before, KeyError listing the nearest keys without an action, ValueError for an action outside its spec (see
    /// `set_action_check`).
    TensorDict step(const TensorDict& td);
    /// The step, and the root of the step after it: what `step_mdp` makes of it, after a reset where one of the flags
    /// is set (truncated alone is enough).
    std::pair<TensorDict, TensorDict> step_and_maybe_reset(const TensorDict& td);
    /// A root dictionary: reset where its flags are set.
    TensorDict maybe_reset(const TensorDict& td);
    /// Root of the step after `td`.
    TensorDict step_mdp(const TensorDict& td) const;
    /// At most `max_steps` steps, stacked along a new last batch dimension (EN-2). Random actions without a policy.
    TensorDict rollout(std::int64_t max_steps, const Policy& policy = {}, const RolloutOptions& options = {});
    /// Draws each action into `td` (a new dictionary without one).
    TensorDict rand_action(const std::optional<TensorDict>& td = std::nullopt);
    TensorDict rand_step(const std::optional<TensorDict>& td = std::nullopt);
    /// A step's dictionary full of zeros.
    TensorDict fake_tensordict() const;

    /// From now on everything that the environment draws comes from a generator of its own with this seed (until then
    /// from the default one). Returns a seed for the next environment.
    std::int64_t set_seed(std::int64_t seed);
    /// An undefined one stands for the default generator.
    const Generator& generator() const { return generator_.value; }
    /// All that is needed to go on at this point, among it the generator (batch size []).
    TensorDict state_dict() const;
    /// Errors: KeyError for what is missing, Error for other shapes; nothing is changed then.
    void load_state_dict(const TensorDict& state);
    /// A picture [H, W, 3] uint8 of environment `index` of the batch. NotImplementedError where there is none.
    virtual Tensor render(std::int64_t index = 0) const;
    /// Height and width of `render`, {0, 0} where there is none.
    virtual std::pair<std::int64_t, std::int64_t> render_size() const { return {0, 0}; }
    /// Releases what it holds; reset and step are Errors from then on.
    virtual void close() { closed_ = true; }
    bool is_closed() const { return closed_; }

protected:
    explicit EnvBase(IntArrayRef batch_size = {});
    EnvBase(const EnvBase&) = default;
    EnvBase(EnvBase&&) = default;
    EnvBase& operator=(const EnvBase&) = default;
    EnvBase& operator=(EnvBase&&) = default;

    /// Observations and flags after a reset of all, or of those whose mask in `td` is true (`reset_mask`); what stands
    /// at the others' places is not read. A new dictionary. Absent flags count as false.
    virtual TensorDict do_reset(const std::optional<TensorDict>& td) = 0;
    /// Observations, rewards and flags after the actions in `td`: a new dictionary. Of "done", "terminated" and
    /// "truncated" the first may be absent (done = terminated | truncated), or the other two.
    virtual TensorDict do_step(const TensorDict& td) = 0;
    /// After `generator()` got its seed.
    virtual void do_set_seed(std::int64_t) {}
    virtual void do_state_dict(TensorDict&) const {}
    /// Checks everything before it changes anything.
    virtual void do_load_state_dict(const TensorDict&) {}
    /// Completes the done specs and finds the keys. ValueError where a shape does not begin with the batch size.
    void set_specs(EnvSpecs specs);
    /// The root's mask in `td`, contiguous bool [*batch_size]; undefined when all are reset.
    Tensor reset_mask(const std::optional<TensorDict>& td) const;
    /// The parts of reset and step that wrappers need of what they wrap: no merging, no "next".
    static TensorDict reset_part(EnvBase& env, const std::optional<TensorDict>& td) { return env.checked_reset(td); }
    static TensorDict step_part(EnvBase& env, const TensorDict& td) { return env.checked_step(td); }

private:
    /// Copies draw the same numbers, each from its own.
    struct OwnGenerator {
        Generator value;
        OwnGenerator() = default;
        explicit OwnGenerator(Generator value) : value(std::move(value)) {}
        OwnGenerator(const OwnGenerator& o) : value(o.value.defined() ? o.value.clone() : Generator()) {}
        OwnGenerator(OwnGenerator&&) = default;
        OwnGenerator& operator=(OwnGenerator o) {
            value = std::move(o.value);
            return *this;
        }
    };
    /// The flags of one group, and where its mask stands.
    struct DoneGroup {
        NestedKey done, terminated, truncated, reset;
    };
    TensorDict checked_reset(const std::optional<TensorDict>& td);
    TensorDict checked_step(const TensorDict& td);
    TensorDict with_actions(const TensorDict& td) const;
    Tensor fitting_action(const NestedKey& key, const TensorSpec& spec, const Tensor& action) const;
    void check_ready(const char* what, const TensorDict* td) const;
    void complete_done(TensorDict& td) const;
    /// Any of the group's flags; undefined when `td` has none.
    Tensor ended(const TensorDict& td, const DoneGroup& group) const;
    bool any_done(const TensorDict& td) const;
    bool all_done(const TensorDict& td) const;
    bool nothing_to_reset(const TensorDict& td) const;
    TensorDict merged(const TensorDict& td, const TensorDict& fresh) const;

    EnvSpecs specs_;
    std::vector<DoneGroup> groups_;
    std::vector<NestedKey> action_keys_, reward_keys_, done_keys_, reset_keys_;
    StepMdpOptions step_mdp_;
    OwnGenerator generator_;
    ActionCheck action_check_ = ActionCheck::Throw;
    bool closed_ = false;
};

} // namespace reel::rl
