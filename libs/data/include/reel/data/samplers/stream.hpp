// Streams: how many elements, not which.
#pragma once

#include <reel/data/samplers/base.hpp>
#include <reel/data/samplers/custom_batch_request.hpp>

namespace reel::data::samplers {

/// A number of elements as a request.
struct BatchSize : public CustomBatchRequest {
    explicit BatchSize(std::size_t size) : size_(size) {}
    std::size_t size() const noexcept override { return size_; }
    operator std::size_t() const noexcept { return size_; }
    std::size_t size_;
};

/// Asks for `epoch_size` elements in all, a batch at a time; for `datasets::StreamDataset`.
class StreamSampler : public Sampler<BatchSize> {
public:
    explicit StreamSampler(std::size_t epoch_size) : epoch_size_(epoch_size) {}
    void reset(std::optional<std::size_t> new_size = std::nullopt) override;
    std::optional<BatchSize> next(std::size_t batch_size) override;
    Value state_dict() const override;
    void load_state_dict(const Value& state) override;

private:
    std::size_t examples_retrieved_so_far_ = 0, epoch_size_;
};

} // namespace reel::data::samplers
