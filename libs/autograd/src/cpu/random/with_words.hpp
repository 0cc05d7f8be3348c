// One stream for all threads: its words are drawn in their order, what becomes of them is shared.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

#include <reel/autograd/parallel.hpp>
#include <reel/autograd/random.hpp>

#include "cpu/scratch.hpp"

namespace reel::cpu {

/// `use(first, words, count)` for stretches of `n` elements, `per` words of the generator for each: the same words for
/// an element however many threads there are. Stretches begin at multiples of 1,024 / `per`, and `use` must not throw.
/// While the others use a block of words, one thread draws the next one.
template <int per, class Use> void with_words(std::int64_t n, CPUGeneratorImpl& g, Use use) {
    constexpr std::int64_t stretch = 1024 / per, block = 64 * stretch; // 4 and 256 KiB of words
    const int threads = n < 8 * stretch || in_parallel_region() ? 1 : get_num_threads();
    if (threads == 1) {
        std::uint32_t words[stretch * per];
        for (std::int64_t i = 0; i < n; i += stretch) {
            const std::int64_t some = std::min(stretch, n - i);
            g.random(words, some * per);
            use(i, words, some);
        }
        return;
    }
    const Scratch memory(2 * block * per * sizeof(std::uint32_t));
    std::uint32_t *words = memory.as<std::uint32_t>(), *next = words + block * per;
    g.random(words, std::min(block, n) * per);
    for (std::int64_t i = 0; i < n; i += block, std::swap(words, next)) {
        const std::int64_t some = std::min(block, n - i), after = std::min(block, n - i - some);
        std::atomic<std::int64_t> taken{0};
        parallel_for(0, threads, 1, [&](std::int64_t b, std::int64_t) {
            if (b == 0) g.random(next, after * per);
            while (true) {
                const std::int64_t k = taken.fetch_add(stretch, std::memory_order_relaxed);
                if (k >= some) return;
                use(i + k, words + k * per, std::min(stretch, some - k));
            }
        });
    }
}

} // namespace reel::cpu
