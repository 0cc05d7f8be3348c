// Given elements in a random order.
#pragma once

#include <reel/data/samplers/random.hpp>

namespace reel::data::samplers {

/// The given indices, in a fresh random order for every pass.
class SubsetRandomSampler : public Sampler<> {
public:
    explicit SubsetRandomSampler(std::vector<std::size_t> indices, std::optional<Generator> generator = std::nullopt);
    /// Errors: ValueError for a `new_size` that is not the number of indices.
    void reset(std::optional<std::size_t> new_size = std::nullopt) override;
    std::optional<std::vector<std::size_t>> next(std::size_t batch_size) override;
    /// Place and order; not the indices.
    Value state_dict() const override;
    void load_state_dict(const Value& state) override;
    std::size_t index() const noexcept { return order_.index(); }

private:
    std::vector<std::size_t> indices_;
    RandomSampler order_;
};

} // namespace reel::data::samplers
