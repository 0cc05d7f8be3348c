// Entries drawn evenly.
#pragma once

#include <reel/rl/replay/sampler.hpp>

namespace reel::rl {

/// Every entry is as likely as any other, each time anew: one may come twice in a batch.
class RandomSampler : public ReplaySampler {
public:
    Draw sample(const ReplayStorage& storage, const RoundRobinWriter& writer, std::int64_t batch_size,
                const std::optional<Generator>& generator) override;
};

} // namespace reel::rl
