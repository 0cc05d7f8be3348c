// Some elements more often than others.
#pragma once

#include <reel/autograd/generator.hpp>
#include <reel/data/samplers/base.hpp>

namespace reel::data::samplers {

/// For every pass `num_samples` indices drawn by `multinomial` from `weights` (which need not sum to one), with
/// replacement or without, as `torch.utils.data.WeightedRandomSampler` draws them. One draw is made at construction.
/// Errors: ValueError for weights that are not a list, no samples, or more samples without replacement than weights.
class WeightedRandomSampler : public Sampler<> {
public:
    WeightedRandomSampler(const Tensor& weights, std::size_t num_samples, bool replacement = true,
                          std::optional<Generator> generator = std::nullopt);
    WeightedRandomSampler(const std::vector<double>& weights, std::size_t num_samples, bool replacement = true,
                          std::optional<Generator> generator = std::nullopt);
    /// `new_size`: another number of samples.
    void reset(std::optional<std::size_t> new_size = std::nullopt) override;
    std::optional<std::vector<std::size_t>> next(std::size_t batch_size) override;
    Value state_dict() const override;
    void load_state_dict(const Value& state) override;
    std::size_t index() const noexcept { return index_; }

private:
    void check(std::size_t num_samples) const;
    Tensor weights_; ///< [N] float64, a copy
    std::size_t num_samples_;
    bool replacement_;
    std::optional<Generator> generator_;
    Tensor indices_;
    std::size_t index_ = 0;
};

} // namespace reel::data::samplers
