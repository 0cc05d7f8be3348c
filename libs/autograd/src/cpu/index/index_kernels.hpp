// Inner loops over indices, by the instruction set.
#pragma once

#include <cstdint>

namespace reel::cpu {

struct IndexKernels {
    /// Are all of n indices, `shift` added, below `extent`? `signs`: the bits of all of them.
    bool (*in_range)(const std::int64_t* p, std::int64_t n, std::uint64_t shift, std::uint64_t extent,
                     std::int64_t& signs) = nullptr;
    /// to[i] = from[at[i]], of elements of 4 and 8 bytes.
    void (*gather4)(std::uint32_t* to, const std::uint32_t* from, const std::int64_t* at, std::int64_t n) = nullptr;
    void (*gather8)(std::uint64_t* to, const std::uint64_t* from, const std::int64_t* at, std::int64_t n) = nullptr;
};
inline constinit IndexKernels index_kernels{};

} // namespace reel::cpu
