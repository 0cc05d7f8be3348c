// Samplers: in which order a loader visits a dataset.
#pragma once

#include <optional>
#include <vector>

#include <reel/autograd/generator.hpp>
#include <reel/autograd/tensor.hpp>

namespace reel::data::samplers {

class Sampler {
public:
    virtual ~Sampler() = default;
    /// Starts a new pass, over `new_size` elements if given.
    virtual void reset(std::optional<std::size_t> new_size = std::nullopt) = 0;
    /// At most `batch_size` indices; nullopt when the pass is over.
    virtual std::optional<std::vector<std::size_t>> next(std::size_t batch_size) = 0;
};

/// 0, 1, 2, ...
class SequentialSampler : public Sampler {
public:
    explicit SequentialSampler(std::size_t size) : size_(size) {}
    void reset(std::optional<std::size_t> new_size = std::nullopt) override;
    std::optional<std::vector<std::size_t>> next(std::size_t batch_size) override;
    std::size_t index() const { return index_; }

private:
    std::size_t size_, index_ = 0;
};

/// A fresh `randperm` for every pass, from `generator` or the default one. The first pass is drawn at construction.
class RandomSampler : public Sampler {
public:
    explicit RandomSampler(std::size_t size, std::optional<Generator> generator = std::nullopt);
    void reset(std::optional<std::size_t> new_size = std::nullopt) override;
    std::optional<std::vector<std::size_t>> next(std::size_t batch_size) override;
    std::size_t index() const { return index_; }

private:
    std::size_t size_, index_ = 0;
    std::optional<Generator> generator_;
    std::vector<std::size_t> order_;
};

} // namespace reel::data::samplers
