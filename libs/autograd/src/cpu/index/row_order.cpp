#include "cpu/index/row_order.hpp"

#include <algorithm>
#include <utility>

namespace reel::cpu {

template <class Key> void KeyOrder<Key>::sort(Equals equals) {
    const auto before = [](const Entry& a, const Entry& b) { return a.key < b.key; };
    const auto same = [](const Entry& a, const Entry& b) { return a.key == b.key; };
    // Long rows always have equal elements; following swaps for them would double the time.
    if (equals == Equals::AsTheyStood || entries_.size() > 65536) return stable_order();
    if constexpr (sizeof(Key) > 2) { // wide keys are mostly distinct: then there is one order only
        stable_order();
        if (std::adjacent_find(entries_.begin(), entries_.end(), same) == entries_.end()) return;
        for (const Entry& e : entries_) other_[e.place] = e;
        std::swap(entries_, other_);
    }
    std::sort(entries_.begin(), entries_.end(), before);
}

template <class Key> void KeyOrder<Key>::stable_order() {
    const std::size_t n = entries_.size();
    if (n <= 128) return by_comparison(); // counting costs more than so few comparisons
    const int width = sizeof(Key) <= 2 || n < 8192 ? 8 : 11;
    const std::int64_t shares = in_parallel_region() ? 1 : std::min<std::int64_t>(get_num_threads(), n / 65536);
    if (shares > 1) by_digits_of_shares(width, shares);
    else by_digits(width);
}

template <class Key> void KeyOrder<Key>::by_comparison() {
    std::sort(entries_.begin(), entries_.end(),
              [](const Entry& a, const Entry& b) { return a.key < b.key || (a.key == b.key && a.place < b.place); });
}

// Least digit first: each pass keeps the order of the one before among equal digits.
template <class Key> void KeyOrder<Key>::by_digits(int width) {
    const int bits = 8 * int(sizeof(Key)), passes = (bits + width - 1) / width;
    const std::size_t buckets = std::size_t(1) << width;
    const Key mask = Key(buckets - 1);
    counts_.assign(std::size_t(passes) * buckets, 0);
    for (const Entry& e : entries_)
        for (int p = 0; p < passes; ++p)
            ++counts_[std::size_t(p) * buckets + std::size_t((e.key >> (p * width)) & mask)];
    for (int p = 0; p < passes; ++p) {
        std::uint32_t* const count = counts_.data() + std::size_t(p) * buckets;
        const auto digit = [&](const Entry& e) { return std::size_t((e.key >> (p * width)) & mask); };
        if (count[digit(entries_.front())] == entries_.size()) continue; // all have the same one
        std::uint32_t before = 0;
        for (std::size_t b = 0; b < buckets; ++b) before += std::exchange(count[b], before);
        for (const Entry& e : entries_) other_[count[digit(e)]++] = e;
        std::swap(entries_, other_);
    }
}

// As above, each share of the entries by a thread: those of a digit go behind the same digit's of the shares before, so
// that the order is the one that a single thread finds.
template <class Key> void KeyOrder<Key>::by_digits_of_shares(int width, std::int64_t shares) {
    const int bits = 8 * int(sizeof(Key)), passes = (bits + width - 1) / width;
    const std::size_t buckets = std::size_t(1) << width;
    const Key mask = Key(buckets - 1);
    const auto n = std::int64_t(entries_.size()), share = (n + shares - 1) / shares;
    counts_.resize(std::size_t(shares) * buckets);
    for (int p = 0; p < passes; ++p) {
        const auto digit = [&](const Entry& e) { return std::size_t((e.key >> (p * width)) & mask); };
        const auto each_share = [&](auto f) {
            parallel_for(0, shares, 1, [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t s = begin; s < end; ++s)
                    f(counts_.data() + std::size_t(s) * buckets, entries_.data() + s * share,
                      entries_.data() + std::min(n, (s + 1) * share));
            });
        };
        each_share([&](std::uint32_t* count, const Entry* first, const Entry* last) {
            std::fill(count, count + buckets, 0);
            for (; first != last; ++first) ++count[digit(*first)];
        });
        std::uint32_t before = 0;
        for (std::size_t b = 0; b < buckets; ++b)
            for (std::int64_t s = 0; s < shares; ++s)
                before += std::exchange(counts_[std::size_t(s) * buckets + b], before);
        each_share([&](std::uint32_t* count, const Entry* first, const Entry* last) {
            for (; first != last; ++first) other_[count[digit(*first)]++] = *first;
        });
        std::swap(entries_, other_);
    }
}

template class KeyOrder<std::uint8_t>;
template class KeyOrder<std::uint16_t>;
template class KeyOrder<std::uint32_t>;
template class KeyOrder<std::uint64_t>;

} // namespace reel::cpu
