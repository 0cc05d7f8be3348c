// Elements in their own order.
#pragma once

#include <reel/data/samplers/base.hpp>

namespace reel::data::samplers {

/// 0, 1, 2, ...
class SequentialSampler : public Sampler<> {
public:
    explicit SequentialSampler(std::size_t size) : size_(size) {}
    void reset(std::optional<std::size_t> new_size = std::nullopt) override;
    std::optional<std::vector<std::size_t>> next(std::size_t batch_size) override;
    Value state_dict() const override;
    void load_state_dict(const Value& state) override;
    /// How many elements of this pass have been handed out.
    std::size_t index() const noexcept { return index_; }

private:
    std::size_t size_, index_ = 0;
};

} // namespace reel::data::samplers
