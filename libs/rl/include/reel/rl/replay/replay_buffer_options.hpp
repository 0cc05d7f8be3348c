// What a replay buffer is made of.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <vector>

#include <reel/nn/options.hpp>
#include <reel/rl/replay/sampler.hpp>
#include <reel/rl/replay/storage.hpp>
#include <reel/rl/replay/transform.hpp>

namespace reel::rl {

/// The options of every kind of buffer; setters return the kind's own. Parts are given as they are
/// (`storage(LazyTensorStorage(1000))`) or as shared pointers, to keep hold of them.
template <class Self> class ReplayBufferOptionsOf {
    /// Required.
    REEL_ARG_OF(Self, std::shared_ptr<ReplayStorage>, storage);
    /// `RandomSampler` when there is none.
    REEL_ARG_OF(Self, std::shared_ptr<ReplaySampler>, sampler);
    /// Of `sample()` without an argument.
    REEL_ARG_OF(Self, std::optional<std::int64_t>, batch_size);
    /// What samplers draw from; the default one when there is none.
    REEL_ARG_OF(Self, std::optional<Generator>, generator);
    /// Applied in this order.
    REEL_ARG_OF(Self, std::vector<std::shared_ptr<ReplayTransform>>, transforms);

public:
    template <std::derived_from<ReplayStorage> S> Self& storage(S part) {
        return storage(std::make_shared<S>(std::move(part)));
    }
    template <std::derived_from<ReplaySampler> S> Self& sampler(S part) {
        return sampler(std::make_shared<S>(std::move(part)));
    }
    /// Adds one.
    template <std::derived_from<ReplayTransform> T> Self& transform(T part) {
        return transform(std::make_shared<T>(std::move(part)));
    }
    Self& transform(std::shared_ptr<ReplayTransform> part) {
        transforms_.push_back(std::move(part));
        return static_cast<Self&>(*this);
    }
};

class ReplayBufferOptions : public ReplayBufferOptionsOf<ReplayBufferOptions> {};

} // namespace reel::rl
