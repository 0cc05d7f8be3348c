// Optimizers whose state is spread over the ranks.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <reel/distributed/detail/spread_state.hpp>
#include <reel/distributed/process_group.hpp>
#include <reel/optim/optimizer.hpp>

namespace reel::distributed {

/// Optimizer `O` of which each rank keeps the state of some parameters, steps these and sends them to the others: the
/// results are those of `O` alone. Parameters are dealt out within each group by size, the largest first, each to the
/// rank with the least so far. Parameter groups, hooks, options and schedules are as `O`'s; hooks after the step see
/// the new values of all parameters. All ranks of the group construct it with the same parameters, have the same
/// gradients and call `step`. S. Rajbhandari et al.: ZeRO, 2020 (its first stage).
/// Errors: ValueError for a differentiable step; Error from `state_dict` where the state was not consolidated.
template <class O> class ZeroRedundancyOptimizer final : public O, public detail::SpreadState {
    static_assert(std::is_same_v<decltype(&O::step), Tensor (optim::Optimizer::*)(optim::Optimizer::LossClosure)>,
                  "ZeroRedundancyOptimizer takes optimizers that step each parameter by itself; this one overrides "
                  "step as a whole");

public:
    using Options = typename O::Options;
    explicit ZeroRedundancyOptimizer(std::vector<Tensor> params, ProcessGroup group = {}, Options options = {})
        : O(std::move(params), std::move(options)), detail::SpreadState(std::move(group)) {
        begin();
    }
    explicit ZeroRedundancyOptimizer(std::vector<optim::OptimizerParamGroup> groups, ProcessGroup group = {},
                                     Options options = {})
        : O(std::move(groups), std::move(options)), detail::SpreadState(std::move(group)) {
        begin();
    }
    /// Gathers the ranks' state on rank `to` of the world, whose `state_dict` is the plain optimizer's until the next
    /// step. All ranks call it.
    void consolidate_state_dict(std::int64_t to = 0) { this->consolidate(*this, to); }
    /// For each rank of the group the numbers, as in state dicts, of the parameters that it steps.
    std::vector<std::vector<std::int64_t>> partition() const {
        std::vector<std::vector<std::int64_t>> parts(std::size_t(this->group().size()));
        const std::vector<std::int64_t> owners = this->owners(*this);
        for (std::size_t i = 0; i < owners.size(); ++i) parts[std::size_t(owners[i])].push_back(std::int64_t(i));
        return parts;
    }
    /// The state of this rank's parameters alone.
    Value local_state_dict() const { return detail::SpreadState::local_state_dict(*this); }

protected:
    void update(optim::OptimizerParamGroup& group) override {
        const detail::OwnedOnly scope(*this, *this, group);
        O::update(group);
    }

private:
    using Self = ZeroRedundancyOptimizer;
    void begin() {
        detail::check_can_be_spread(this->defaults());
        this->register_step_post_hook([](optim::Optimizer& o) { static_cast<Self&>(o).broadcast(o); });
        this->register_state_dict_post_hook(
            [](optim::Optimizer& o, const Value& local) { return static_cast<Self&>(o).seen_from_outside(local); });
        this->register_load_state_dict_pre_hook(
            [](optim::Optimizer& o, const Value& plain) { return static_cast<Self&>(o).own_part(o, plain); });
    }
};

} // namespace reel::distributed
