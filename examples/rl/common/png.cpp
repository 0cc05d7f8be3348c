#include "png.hpp"

#include <vector>

#include <zlib.h>

#include <reel/autograd/error.hpp>

namespace agents {

namespace {

void add_number(std::string& out, std::uint32_t v) {
    for (int shift = 24; shift >= 0; shift -= 8) out += char(v >> shift & 0xff);
}
void add_chunk(std::string& out, const std::string& kind, const std::string& data) {
    add_number(out, std::uint32_t(data.size()));
    const std::string body = kind + data;
    out += body;
    add_number(out, std::uint32_t(crc32(0, reinterpret_cast<const Bytef*>(body.data()), uInt(body.size()))));
}
std::string deflated(const std::string& data) {
    std::string r(compressBound(uLong(data.size())), '\0');
    uLongf size = uLongf(r.size());
    const int status = compress2(reinterpret_cast<Bytef*>(r.data()), &size, reinterpret_cast<const Bytef*>(data.data()),
                                 uLong(data.size()), 9);
    REEL_CHECK(status == Z_OK, "png: zlib returned ", status);
    r.resize(size);
    return r;
}
std::string base64(const std::string& data) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string r;
    for (std::size_t i = 0; i < data.size(); i += 3) {
        const std::size_t n = std::min<std::size_t>(3, data.size() - i);
        std::uint32_t bits = 0;
        for (std::size_t k = 0; k < 3; ++k) bits = bits << 8 | (k < n ? std::uint8_t(data[i + k]) : 0);
        for (std::size_t k = 0; k < 4; ++k) r += k <= n ? digits[bits >> (18 - 6 * k) & 63] : '=';
    }
    return r;
}

} // namespace

std::string png_uri(const reel::Tensor& picture) {
    REEL_CHECK_VALUE(picture.dim() == 3 && picture.size(2) == 3 && picture.scalar_type() == reel::kByte,
                     "png: expected uint8 [H, W, 3], got ", picture.sizes());
    const reel::Tensor dense = picture.contiguous();
    const std::int64_t height = dense.size(0), row = dense.size(1) * 3;
    const auto* pixels = reinterpret_cast<const char*>(dense.data_ptr<std::uint8_t>());
    std::string lines;
    for (std::int64_t y = 0; y < height; ++y) {
        lines += '\0'; // no filter
        lines.append(pixels + y * row, std::size_t(row));
    }
    std::string header;
    add_number(header, std::uint32_t(dense.size(1)));
    add_number(header, std::uint32_t(height));
    header += std::string("\x08\x02\x00\x00\x00", 5); // 8 bits, RGB
    std::string file = "\x89PNG\r\n\x1a\n";
    add_chunk(file, "IHDR", header);
    add_chunk(file, "IDAT", deflated(lines));
    add_chunk(file, "IEND", "");
    return "data:image/png;base64," + base64(file);
}

} // namespace agents
