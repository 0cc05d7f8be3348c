// SHA-256, to compare what was read with what was written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace reel_file {

class Sha256 {
public:
    void update(const void* data, std::size_t n);
    std::string hex(); ///< ends the computation

private:
    void block(const unsigned char* p);
    std::uint32_t state_[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                               0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    unsigned char pending_[64];
    std::size_t filled_ = 0;
    std::uint64_t length_ = 0;
};

} // namespace reel_file
