#include <reel/rl/replay/prioritized_replay_buffer.hpp>

namespace reel::rl {
namespace {

template <class Options> Options with_priorities(double alpha, double beta, Options options, double eps) {
    REEL_CHECK_VALUE(!options.sampler(),
                     "PrioritizedReplayBuffer: it makes its sampler itself; expected options without "
                     "one");
    if (options.storage())
        options.sampler(std::make_shared<PrioritizedSampler>(options.storage()->max_size(), alpha, beta, eps));
    return options;
}
PrioritizedSampler& prioritized(const ReplaySampler& sampler) {
    return const_cast<PrioritizedSampler&>(static_cast<const PrioritizedSampler&>(sampler));
}

} // namespace

PrioritizedReplayBuffer::PrioritizedReplayBuffer(double alpha, double beta, ReplayBufferOptions options, double eps)
    : ReplayBuffer(with_priorities(alpha, beta, std::move(options), eps)) {}
PrioritizedSampler& PrioritizedReplayBuffer::prioritized_sampler() const { return prioritized(sampler()); }

TensorDictPrioritizedReplayBuffer::TensorDictPrioritizedReplayBuffer(double alpha, double beta,
                                                                     TensorDictReplayBufferOptions options, double eps)
    : TensorDictReplayBuffer(with_priorities(alpha, beta, std::move(options), eps)) {}
PrioritizedSampler& TensorDictPrioritizedReplayBuffer::prioritized_sampler() const { return prioritized(sampler()); }

} // namespace reel::rl
