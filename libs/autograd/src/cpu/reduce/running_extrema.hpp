// Extrema so far of a row.
#pragma once

#include <cstdint>

namespace reel::cpu {

/// Set for the instruction set; of float32 and float64. values[i] = the largest (smallest) of in[0..i], places[i] = the
/// last place where it stands; n is at least one and below 2^31. False where there is a NaN; what is written then means
/// nothing.
template <class T> struct RunningExtrema {
    bool (*largest)(const T* in, T* values, std::int64_t* places, std::int64_t n) = nullptr;
    bool (*smallest)(const T* in, T* values, std::int64_t* places, std::int64_t n) = nullptr;
};
template <class T> inline constinit RunningExtrema<T> running_extrema{};

} // namespace reel::cpu
