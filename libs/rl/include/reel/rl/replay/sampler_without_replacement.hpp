// Every entry once.
#pragma once

#include <reel/rl/replay/sampler.hpp>

namespace reel::rl {

/// Goes through all entries in a random order (with `shuffle` off from the first place on), then again in another. The
/// last batch of a pass has what is left, or with `drop_last` that is passed over. A pass begins anew when the number
/// of entries changes.
class SamplerWithoutReplacement : public ReplaySampler {
public:
    explicit SamplerWithoutReplacement(bool drop_last = false, bool shuffle = true)
        : drop_last_(drop_last), shuffle_(shuffle) {}
    /// Did the last batch end a pass?
    bool ran_out() const { return ran_out_; }
    Draw sample(const ReplayStorage& storage, const RoundRobinWriter& writer, std::int64_t batch_size,
                const std::optional<Generator>& generator) override;
    void clear() override;
    Value state_dict() const override;
    CommitLoad prepare_load(const Value& state, std::int64_t size) override;

private:
    bool drop_last_, shuffle_, ran_out_ = false;
    Tensor order_; ///< of this pass, never written; undefined before the first one
    std::int64_t next_ = 0;
};

} // namespace reel::rl
