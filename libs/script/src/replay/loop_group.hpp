// Pointwise loops of one length that run block by block, so that what one hands to the next stays in the cache.
#pragma once

#include <cstdint>
#include <vector>

#include "replay/recording.hpp"

namespace reel::jit::replay {

/// Flat loops over equally many elements, none of which reads at one place what another one writes at a different one.
struct LoopGroup {
    /// Elements of a block: a handful of float32 operands fit the first-level cache; a multiple of what threads cut at.
    static constexpr std::int64_t block = 1024;

    struct Loop {
        FlatLoop flat;
        /// Operand lies in the group's own memory, which holds one block, at `places[i].offset`.
        bool own[FlatLoop::most] = {};
    };
    std::int64_t count = 0;
    std::vector<Loop> loops;
    std::size_t own_bytes = 0;

    /// `at`: where each block of memory is.
    void run(char* const* at) const;

private:
    void run_part(char* const* at, std::int64_t begin, std::int64_t end) const;
};

} // namespace reel::jit::replay
