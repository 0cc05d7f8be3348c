// The order of a row's elements: by radix over keys that compare as the elements do.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include <reel/autograd/half.hpp>
#include <reel/autograd/parallel.hpp>

#include "cpu/scratch.hpp"

namespace reel::cpu {

/// In which order equal elements are: as they stood, or, in rows of up to 65,536, as the swaps of `std::sort` leave
/// them, which is what the reference's sort does that is not asked to be stable.
enum class Equals { AsTheyStood, AsSwapped };

/// Places ordered by unsigned keys. Linear time, where equal ones keep their order or there are none; memory of two
/// entries for each place, which is kept for the next row.
template <class Key> class KeyOrder {
public:
    struct Entry {
        Key key;
        std::uint32_t place;
    };
    /// The rows have `n` elements, fewer than 2^32.
    explicit KeyOrder(std::int64_t n)
        : memory_(2 * std::size_t(n) * sizeof(Entry)), entries_(memory_.as<Entry>(), std::size_t(n)),
          other_(memory_.as<Entry>() + n, std::size_t(n)) {}
    std::span<Entry> entries() { return entries_; }
    void sort(Equals equals);

private:
    void stable_order();
    void by_comparison();
    void by_digits(int width);
    void by_digits_of_shares(int width, std::int64_t shares);

    Scratch memory_;
    std::span<Entry> entries_, other_;
    std::vector<std::uint32_t> counts_;
};

template <std::size_t bytes>
using UnsignedOf = std::conditional_t<
    bytes == 1, std::uint8_t,
    std::conditional_t<bytes == 2, std::uint16_t, std::conditional_t<bytes == 4, std::uint32_t, std::uint64_t>>>;

/// A number that compares as `v` does. Zeros are equal, NaN is greatest.
template <class T> UnsignedOf<sizeof(T)> order_key(const T& v) {
    using Key = UnsignedOf<sizeof(T)>;
    constexpr Key sign = Key(Key(1) << (8 * sizeof(T) - 1));
    if constexpr (std::is_same_v<T, bool>) return Key(v);
    else if constexpr (std::is_integral_v<T>) return std::is_signed_v<T> ? Key(Key(v) ^ sign) : Key(v);
    else {
        if (v != v) return std::numeric_limits<Key>::max();
        const Key b = std::bit_cast<Key>(v);
        if ((b & Key(~sign)) == 0) return sign;
        return Key(b & sign ? Key(~b) : Key(b | sign));
    }
}

/// Orders rows of n elements of T one after another.
template <class T> class RowOrder {
public:
    static constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max();
    explicit RowOrder(std::int64_t n) : keys_(n) {}
    /// Where the elements of `row` stand, ascending or descending with NaN as the greatest. `visit(rank, place)` is
    /// called for each, for long rows from several threads.
    template <class Visit> void operator()(const T* row, bool descending, Equals equals, Visit visit) {
        using Key = UnsignedOf<sizeof(T)>;
        const auto entries = keys_.entries();
        const auto n = std::int64_t(entries.size());
        parallel_for(0, n, 32768, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t j = begin; j < end; ++j) {
                const Key key = order_key(row[j]);
                entries[std::size_t(j)] = {descending ? Key(~key) : key, std::uint32_t(j)};
            }
        });
        keys_.sort(equals);
        const auto sorted = keys_.entries(); // the two halves of the memory may have changed places
        parallel_for(0, n, 32768, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t j = begin; j < end; ++j) visit(j, std::int64_t(sorted[std::size_t(j)].place));
        });
    }

private:
    KeyOrder<UnsignedOf<sizeof(T)>> keys_;
};

} // namespace reel::cpu
