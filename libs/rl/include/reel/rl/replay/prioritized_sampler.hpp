// Entries drawn by what there is to learn from them.
#pragma once

#include <reel/rl/replay/sampler.hpp>
#include <reel/rl/replay/segment_tree.hpp>

namespace reel::rl {

/// Prioritised experience replay, proportional variant (Schaul et al. 2016): entry i comes with probability p_i / sum
/// where p_i = (priority_i + eps)^alpha, and weighs (p_i / min p)^-beta. New entries have the largest priority seen so
/// far, at first 1. Sums are kept in float64.
/// Errors: ValueError for a negative alpha, beta or eps; for negative, infinite or NaN priorities (none is changed
/// then); when all priorities are zero.
class PrioritizedSampler : public ReplaySampler {
public:
    /// For a storage of `max_capacity` entries.
    PrioritizedSampler(std::int64_t max_capacity, double alpha, double beta, double eps = 1e-8);

    double alpha() const { return alpha_; }
    double beta() const { return beta_; }
    double eps() const { return eps_; }
    /// Later draws and updates use it; what is stored keeps its p_i.
    void set_alpha(double alpha);
    void set_beta(double beta);
    /// The p_i of a new entry.
    double default_priority() const;
    /// The largest priority seen so far.
    double max_priority() const { return max_priority_; }
    /// p_i of place i; 0 where there is no entry.
    double operator[](std::int64_t i) const { return sums_[i]; }

    Draw sample(const ReplayStorage& storage, const RoundRobinWriter& writer, std::int64_t batch_size,
                const std::optional<Generator>& generator) override;
    void written(std::int64_t begin, std::int64_t count) override;
    void update_priority(const Tensor& index, const Tensor& priority) override;
    void check_priority(const Tensor& index, const Tensor& priority) const override;
    bool uses_priorities() const override { return true; }
    void check_storage(std::int64_t max_size) const override;
    void clear() override;
    Value state_dict() const override;
    CommitLoad prepare_load(const Value& state, std::int64_t size) override;

private:
    double alpha_, beta_, eps_, max_priority_ = 1;
    std::int64_t size_ = 0;
    SumSegmentTree sums_;
    MinSegmentTree least_;
};

} // namespace reel::rl
