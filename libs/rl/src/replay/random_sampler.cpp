#include <reel/autograd/ops/random/random.hpp>
#include <reel/rl/replay/random_sampler.hpp>

namespace reel::rl {

Draw RandomSampler::sample(const ReplayStorage& storage, const RoundRobinWriter&, std::int64_t batch_size,
                           const std::optional<Generator>& generator) {
    return {randint(0, storage.size(), {batch_size}, generator, kLong), {}, {}};
}

} // namespace reel::rl
