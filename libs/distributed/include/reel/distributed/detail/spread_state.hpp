// State of an optimizer that is spread over the ranks.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <reel/distributed/process_group.hpp>
#include <reel/optim/optimizer.hpp>

namespace reel::distributed::detail {

/// Which rank steps which parameter of an optimizer, and what follows from it.
class SpreadState {
public:
    explicit SpreadState(ProcessGroup group);
    virtual ~SpreadState();
    SpreadState(SpreadState&&) noexcept;
    SpreadState& operator=(SpreadState&&) noexcept;
    const ProcessGroup& group() const { return group_; }
    /// Places in the group by the numbers that parameters have in state dicts.
    std::vector<std::int64_t> owners(const optim::Optimizer& optimizer) const;
    /// Of state dicts: what the ranks have together if that was gathered here, else an Error; this rank's part in a
    /// `LocalState` scope.
    Value seen_from_outside(const Value& local) const;
    /// Of a plain state dict: what this rank needs of it.
    Value own_part(const optim::Optimizer& optimizer, const Value& plain) const;
    void broadcast(optim::Optimizer& optimizer);
    void consolidate(const optim::Optimizer& optimizer, std::int64_t to);
    Value local_state_dict(const optim::Optimizer& optimizer) const;

private:
    ProcessGroup group_;
    std::unique_ptr<ValueDict> consolidated_;
    mutable bool local_ = false;
};
/// The group has this rank's parameters only, as long as it lives.
class OwnedOnly {
public:
    OwnedOnly(const SpreadState& spread, const optim::Optimizer& optimizer, optim::OptimizerParamGroup& group);
    ~OwnedOnly();
    OwnedOnly(const OwnedOnly&) = delete;

private:
    optim::OptimizerParamGroup& group_;
    std::vector<Tensor> all_;
};
void check_can_be_spread(const optim::OptimizerOptions& options);

} // namespace reel::distributed::detail
