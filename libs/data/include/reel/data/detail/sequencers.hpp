// In which order results of several workers are handed on.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <reel/autograd/error.hpp>

namespace reel::data::detail::sequencers {

/// Hands on results, one a call. As libtorch's.
template <class Result> struct Sequencer {
    /// The next result to arrive; nullopt when there will be none.
    using ResultProducer = std::function<std::optional<Result>()>;
    virtual ~Sequencer() = default;
    virtual std::optional<Result> next(ResultProducer next_result) = 0;
};

/// As they arrive.
template <class Result> struct NoSequencer final : Sequencer<Result> {
    using typename Sequencer<Result>::ResultProducer;
    std::optional<Result> next(ResultProducer next_result) override { return next_result(); }
};

/// In the order of their member `sequence_number`, which counts from 0. At most `max_jobs` are under way at once, so
/// that those which came too early have a place each. Errors: Error for a number that has no place.
template <class Result> struct OrderedSequencer : Sequencer<Result> {
    using typename Sequencer<Result>::ResultProducer;
    explicit OrderedSequencer(std::size_t max_jobs) : buffer_(max_jobs) {
        REEL_CHECK_VALUE(max_jobs > 0, "OrderedSequencer: max_jobs must be positive");
    }
    std::optional<Result> next(ResultProducer next_result) override {
        if (auto& early = place_of(next_sequence_number_)) {
            ++next_sequence_number_;
            return std::exchange(early, std::nullopt);
        }
        while (std::optional<Result> result = next_result()) {
            const std::size_t number = result->sequence_number;
            if (number == next_sequence_number_) {
                ++next_sequence_number_;
                return result;
            }
            REEL_CHECK(number - next_sequence_number_ < buffer_.size(), "OrderedSequencer: result ", number,
                       " came while ", next_sequence_number_, " is waited for, more than max_jobs (", buffer_.size(),
                       ") apart");
            place_of(number) = std::move(result);
        }
        return std::nullopt;
    }
    std::size_t next_sequence_number_ = 0;
    std::vector<std::optional<Result>> buffer_; ///< results that came too early

private:
    std::optional<Result>& place_of(std::size_t number) { return buffer_.at(number % buffer_.size()); }
};

} // namespace reel::data::detail::sequencers
