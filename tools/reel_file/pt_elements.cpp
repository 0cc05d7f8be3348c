#include "pt_elements.hpp"

#include <algorithm>
#include <cstring>

namespace reel_file {

void each_element(const TensorInfo& t, const char* storage, std::uint64_t most,
                  const std::function<void(const char*)>& give) {
    const std::size_t item = info(t.dtype).size, dims = t.sizes.size();
    std::vector<std::int64_t> at(dims, 0);
    std::uint64_t numel = 1;
    for (const std::int64_t s : t.sizes) numel *= std::uint64_t(s);
    numel = std::min(numel, most);
    std::int64_t offset = t.offset;
    char copy[16];
    for (std::uint64_t k = 0; k < numel; ++k) {
        std::memcpy(copy, storage + std::size_t(offset) * item, item);
        // the sign is the top bit of the last byte of each part
        const bool complex = is_complex(t.dtype);
        if (t.neg && complex) copy[item / 2 - 1] ^= char(0x80);
        if (t.neg != t.conj) copy[item - 1] ^= char(0x80);
        give(copy);
        for (std::size_t d = dims; d-- > 0;) {
            offset += t.strides[d];
            if (++at[d] < t.sizes[d]) break;
            offset -= t.strides[d] * t.sizes[d];
            at[d] = 0;
        }
    }
}
bool is_dense(const TensorInfo& t) {
    std::int64_t expected = 1;
    for (std::size_t d = t.sizes.size(); d-- > 0; expected *= t.sizes[d])
        if (t.sizes[d] != 1 && t.strides[d] != expected) return false;
    return !t.conj && !t.neg;
}
std::uint64_t numel(const TensorInfo& t) {
    std::uint64_t n = 1;
    for (const std::int64_t s : t.sizes) n *= std::uint64_t(s);
    return n;
}
std::string shape_text(const std::vector<std::int64_t>& v) {
    std::string out = "[";
    for (std::size_t i = 0; i < v.size(); ++i) out += (i ? ", " : "") + std::to_string(v[i]);
    return out + "]";
}

} // namespace reel_file
