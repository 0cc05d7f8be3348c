// Elements in a random order.
#pragma once

#include <reel/autograd/dtype.hpp>
#include <reel/autograd/generator.hpp>
#include <reel/data/samplers/base.hpp>

namespace reel::data::samplers {

/// A fresh `randperm` for every pass, from `generator` or the default one. As in libtorch one is drawn at construction,
/// and another whenever a loader begins a pass.
class RandomSampler : public Sampler<> {
public:
    /// `index_dtype`: of the stored order; a narrow one saves memory.
    explicit RandomSampler(std::int64_t size, Dtype index_dtype = kLong);
    RandomSampler(std::int64_t size, std::optional<Generator> generator, Dtype index_dtype = kLong);
    void reset(std::optional<std::size_t> new_size = std::nullopt) override;
    std::optional<std::vector<std::size_t>> next(std::size_t batch_size) override;
    /// With the state of the generator, if it has one of its own.
    Value state_dict() const override;
    void load_state_dict(const Value& state) override;
    /// How many elements of this pass have been handed out.
    std::size_t index() const noexcept { return index_; }

private:
    std::optional<Generator> generator_;
    Tensor indices_; ///< never written, so copies may share it
    std::size_t index_ = 0;
};

} // namespace reel::data::samplers
