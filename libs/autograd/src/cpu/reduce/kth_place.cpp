// One digit by counting, the rest by partition.
#include "cpu/reduce/kth_place.hpp"

#include <algorithm>

namespace reel::cpu {

std::int64_t KthPlace::operator()(std::int64_t k) {
    constexpr int shift = 21; // a float's sign, exponent and two bits more
    std::uint32_t counts[std::size_t(1) << (32 - shift)] = {};
    for (const std::uint32_t key : keys_) ++counts[key >> shift];
    std::uint32_t digit = 0;
    for (; k >= counts[digit]; ++digit) k -= counts[digit];
    std::size_t found = 0;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
        candidates_[found] = std::uint64_t(keys_[i]) << 32 | i;
        found += keys_[i] >> shift == digit; // else the next one takes its place
    }
    const auto first = candidates_.begin();
    std::nth_element(first, first + k, first + std::ptrdiff_t(found));
    return std::int64_t(std::uint32_t(first[k]));
}

} // namespace reel::cpu
