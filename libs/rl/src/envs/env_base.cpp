#include <reel/autograd/ops/reduce/statistics.hpp>
#include <reel/rl/envs/env_base.hpp>

#include <algorithm>

#include <reel/rl/specs/categorical.hpp>

#include "specs/spec_impl.hpp"

namespace reel::rl {

EnvBase::EnvBase(IntArrayRef batch_size) {
    for (const std::int64_t size : batch_size)
        REEL_CHECK_VALUE(size >= 1, "EnvBase: expected a batch size of positive numbers, got ",
                         detail::sizes_text(batch_size.vec()));
    specs_.batch_size = batch_size.vec();
    for (Composite* c : {&specs_.action, &specs_.observation, &specs_.reward, &specs_.done}) *c = Composite(batch_size);
}
EnvBase::~EnvBase() = default;

std::int64_t EnvBase::numel() const {
    std::int64_t n = 1;
    for (const std::int64_t size : batch_size()) n *= size;
    return n;
}

namespace {
const NestedKey& only(const std::vector<NestedKey>& keys, const std::string& env, const char* kind) {
    std::string listed;
    for (const NestedKey& key : keys) listed += (listed.empty() ? "" : ", ") + key.str();
    REEL_CHECK_WITH(KeyError, keys.size() == 1, env, ": expected one ", kind, ", there are ", keys.size(),
                    keys.empty() ? "" : ": ", listed, "; look it up in full_", kind, "_spec()");
    return keys[0];
}
/// A flag is true with probability a half, and never drawn.
TensorSpec flag_spec(std::vector<std::int64_t> shape) {
    shape.push_back(1);
    return Categorical(2, shape, kBool);
}
} // namespace

const NestedKey& EnvBase::action_key() const { return only(action_keys_, name(), "action"); }
const NestedKey& EnvBase::reward_key() const { return only(reward_keys_, name(), "reward"); }
const TensorSpec& EnvBase::action_spec() const { return specs_.action[action_key()]; }
const TensorSpec& EnvBase::reward_spec() const { return specs_.reward[reward_key()]; }
const TensorSpec& EnvBase::done_spec() const {
    std::vector<NestedKey> keys;
    for (const DoneGroup& group : groups_) keys.push_back(group.done);
    return specs_.done[only(keys, name(), "done")];
}

void EnvBase::set_specs(EnvSpecs specs) {
    for (const Composite* c : {&specs.action, &specs.observation, &specs.reward, &specs.done})
        REEL_CHECK_VALUE(c->shape() == specs.batch_size, name(), ": expected specs of shape ",
                         detail::sizes_text(specs.batch_size), ", the batch size, got ",
                         detail::sizes_text(c->shape()));
    if (specs.done.empty()) specs.done.set("done", flag_spec(specs.batch_size));
    std::vector<DoneGroup> groups;
    std::vector<NestedKey> resets;
    for (const NestedKey& key : specs.done.leaf_keys()) {
        REEL_CHECK_VALUE(key.back() == "done" || key.back() == "terminated" || key.back() == "truncated", name(),
                         ": the done spec has an entry ", key.str(), "; expected done, terminated and truncated");
        const NestedKey reset = key.with_back("_reset");
        if (std::find(resets.begin(), resets.end(), reset) != resets.end()) continue;
        resets.push_back(reset);
        groups.push_back({key.with_back("done"), key.with_back("terminated"), key.with_back("truncated"), reset});
        const TensorSpec flag = specs.done[key];
        for (const NestedKey* k : {&groups.back().done, &groups.back().terminated, &groups.back().truncated})
            if (!specs.done.contains(*k)) specs.done.set(*k, flag);
    }
    action_keys_ = specs.action.leaf_keys();
    reward_keys_ = specs.reward.leaf_keys();
    done_keys_ = specs.done.leaf_keys();
    step_mdp_.action_keys(action_keys_).reward_keys(reward_keys_);
    reset_keys_ = std::move(resets);
    groups_ = std::move(groups);
    specs_ = std::move(specs);
}

void EnvBase::check_ready(const char* what, const TensorDict* td) const {
    REEL_CHECK(!closed_, name(), ".", what, ": the environment was closed");
    REEL_CHECK(!td || td->batch_size() == batch_size(), name(), ".", what, ": expected a dictionary of batch size ",
               detail::sizes_text(batch_size()), ", got ", detail::sizes_text(td->batch_size()));
}

// --- steps
Tensor EnvBase::fitting_action(const NestedKey& key, const TensorSpec& spec, const Tensor& action) const {
    const auto what = [&] { return str(name(), ".step: the entry ", key.str()); };
    if (!action.sizes().equals(spec.shape())) {
        REEL_THROW(ValueError, what(), ": expected sizes ", detail::sizes_text(spec.shape()), " of ", spec.summary(),
                   ", got ", detail::sizes_text(action.sizes().vec()));
    }
    if (spec.is_in(action)) [[likely]]
        return action;
    Tensor converted = action;
    if (action.scalar_type() != spec.dtype()) {
        converted = action.to(spec.dtype());
        const bool rounds = action.is_floating_point() && isFloatingType(spec.dtype());
        const bool same = rounds || reel::equal(converted.to(action.scalar_type()), action);
        if (same && spec.is_in(converted)) return converted;
    }
    if (action_check_ == ActionCheck::None) return converted;
    if (action_check_ == ActionCheck::Project) return spec.project(action);
    spec.check(action, what());
    REEL_THROW(ValueError, what(), ": ", action, " is not in ", spec.summary());
}
TensorDict EnvBase::with_actions(const TensorDict& td) const {
    std::optional<TensorDict> changed;
    for (const NestedKey& key : action_keys_) {
        const Entry* entry = td.find(key);
        if (!entry) [[unlikely]] {
            try {
                td.at(key);
            } catch (KeyError& error) {
                error.add_context(str("in ", name(), ".step, which reads its action there"));
                throw;
            }
        }
        const Tensor& action = entry->tensor();
        const Tensor fitting = fitting_action(key, specs_.action[key], action);
        if (fitting.is_same(action)) continue;
        if (!changed) changed = td.clone(false);
        changed->set(key, fitting);
    }
    if (!changed) return td;
    if (action_check_ == ActionCheck::Project)
        for (const NestedKey& key : action_keys_) TensorDict(td).set(key, (*changed)[key]);
    return *changed;
}
TensorDict EnvBase::checked_step(const TensorDict& td) {
    check_ready("step", &td);
    TensorDict next = do_step(with_actions(td));
    complete_done(next);
    return next;
}
TensorDict EnvBase::step(const TensorDict& td) {
    TensorDict next = checked_step(td);
    TensorDict result = td;
    result.set("next", std::move(next));
    return result;
}
TensorDict EnvBase::step_mdp(const TensorDict& td) const { return rl::step_mdp(td, std::nullopt, step_mdp_); }
std::pair<TensorDict, TensorDict> EnvBase::step_and_maybe_reset(const TensorDict& td) {
    TensorDict done = step(td);
    TensorDict root = maybe_reset(step_mdp(done));
    return {std::move(done), std::move(root)};
}

// --- draws and state
TensorDict EnvBase::rand_action(const std::optional<TensorDict>& td) {
    TensorDict result = td ? *td : TensorDict(IntArrayRef(batch_size()));
    check_ready("rand_action", &result);
    for (const NestedKey& key : action_keys_) result.set(key, specs_.action[key].rand({}, generator()));
    return result;
}
TensorDict EnvBase::rand_step(const std::optional<TensorDict>& td) { return step(rand_action(td)); }
TensorDict EnvBase::fake_tensordict() const {
    TensorDict next = specs_.observation.zero(), td = specs_.observation.zero();
    next.update(specs_.done.zero()).update(specs_.reward.zero());
    td.update(specs_.done.zero()).update(specs_.action.zero());
    td.set("next", next);
    return td;
}
std::int64_t EnvBase::set_seed(std::int64_t seed) {
    Generator own{Device(kCPU)};
    own.manual_seed(std::uint64_t(seed));
    generator_ = OwnGenerator(own);
    do_set_seed(seed);
    // splitmix64: neighbouring seeds lead to unrelated ones
    std::uint64_t z = std::uint64_t(seed) + 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return std::int64_t((z ^ (z >> 31)) >> 32);
}
TensorDict EnvBase::state_dict() const {
    TensorDict state;
    if (generator().defined()) state.set("generator", generator().get_state());
    do_state_dict(state);
    return state;
}
void EnvBase::load_state_dict(const TensorDict& state) {
    Generator own;
    if (const std::optional<Tensor> saved = state.get("generator")) {
        own = Generator(Device(kCPU));
        own.set_state(*saved);
    }
    do_load_state_dict(state);
    generator_ = OwnGenerator(own);
}
Tensor EnvBase::render(std::int64_t) const {
    REEL_THROW(NotImplementedError, name(), ".render: this environment has no picture of itself");
}

} // namespace reel::rl
