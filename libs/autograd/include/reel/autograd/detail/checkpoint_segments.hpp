// A chain of stages, checkpointed part by part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include <reel/autograd/detail/checkpoint_run.hpp>

namespace reel::autograd::impl {

/// What `checkpoint_sequential` does with a range of stages; `checkpoint` is found where it is called.
template <class Stages>
Tensor in_segments(const CheckpointOptions& options, const Stages& stages, std::int64_t segments, const Tensor& input) {
    using Stage = std::decay_t<decltype(*std::begin(stages))>;
    std::vector<Stage> all;
    for (const auto& s : stages) all.push_back(s);
    const std::size_t length = segment_length(all.size(), segments);
    const auto part = [&](std::size_t begin, std::size_t end) {
        return [stages = std::vector<Stage>(all.begin() + std::ptrdiff_t(begin), all.begin() + std::ptrdiff_t(end))](
                   Tensor x) mutable {
            for (Stage& s : stages) x = call_stage(s, x);
            return x;
        };
    };
    Tensor x = input;
    std::size_t begin = 0;
    for (std::int64_t i = 1; i < segments; ++i, begin += length)
        x = checkpoint(options, part(begin, begin + length), std::move(x));
    return part(begin, all.size())(std::move(x));
}

} // namespace reel::autograd::impl
