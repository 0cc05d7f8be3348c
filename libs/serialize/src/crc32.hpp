// The checksum of ZIP members.
#pragma once

#include <cstddef>
#include <cstdint>

namespace reel::serialize {

/// CRC-32 (polynomial 0xEDB88320) of `n` bytes, continuing from `crc` (0 at the start).
std::uint32_t crc32(std::uint32_t crc, const void* data, std::size_t n);

} // namespace reel::serialize
