// Batches whose size the sampler decides.
#pragma once

#include <utility>

#include <reel/autograd/error.hpp>
#include <reel/data/samplers/base.hpp>

namespace reel::data::samplers {

namespace detail {
/// The entry "sampler" of a BatchSampler's state.
Value batch_sampler_state(Value inner);
const Value& inner_sampler_state(const Value& state);
} // namespace detail

/// Groups what another sampler of indices hands out into lists of `batch_size`; a last one that is not full is left out
/// with `drop_last`. The size that a loader asks for plays no part, so leave the loader's own at 1.
/// Errors: ValueError for size 0.
template <class S> class BatchSampler : public Sampler<> {
public:
    BatchSampler(S sampler, std::size_t batch_size, bool drop_last)
        : sampler_(std::move(sampler)), batch_size_(batch_size), drop_last_(drop_last) {
        REEL_CHECK_VALUE(batch_size > 0, "BatchSampler: batch_size must be positive");
    }
    void reset(std::optional<std::size_t> new_size = std::nullopt) override { sampler_.reset(new_size); }
    std::optional<std::vector<std::size_t>> next(std::size_t = 0) override {
        auto r = sampler_.next(batch_size_);
        if (r && drop_last_ && r->size() < batch_size_) return std::nullopt;
        return r;
    }
    Value state_dict() const override { return detail::batch_sampler_state(sampler_.state_dict()); }
    void load_state_dict(const Value& state) override { sampler_.load_state_dict(detail::inner_sampler_state(state)); }
    const S& sampler() const { return sampler_; }
    std::size_t batch_size() const { return batch_size_; }
    bool drop_last() const { return drop_last_; }

private:
    S sampler_;
    std::size_t batch_size_;
    bool drop_last_;
};

} // namespace reel::data::samplers
