// Triangles of matrices, as bytes.
#include <reel/autograd/kernels/triangular.hpp>

#include <cstring>

#include <reel/autograd/host_data.hpp>
#include <reel/autograd/parallel.hpp>

namespace reel::cpu {

void triangle(const char* op, const Tensor& out, const Tensor& input, const Triangle& keep) {
    const std::size_t bytes = elementSize(out.scalar_type());
    const std::int64_t rows = out.size(-2), columns = out.size(-1);
    const char* const from = static_cast<const char*>(host_data(input, op));
    char* const to = static_cast<char*>(host_data(out, op));
    if (out.numel() == 0) return;
    parallel_for(0, out.numel() / columns, std::max<std::int64_t>(1, 32768 / columns),
                 [&](std::int64_t begin, std::int64_t end) {
                     for (std::int64_t r = begin; r < end; ++r) {
                         const std::int64_t i = r % rows;
                         const std::size_t first = std::size_t(keep.first(i)) * bytes,
                                           last = std::max(std::size_t(keep.last(i)) * bytes, first),
                                           all = std::size_t(columns) * bytes, at = std::size_t(r) * all;
                         std::memset(to + at, 0, first);
                         std::memcpy(to + at + first, from + at + first, last - first);
                         std::memset(to + at + last, 0, all - last);
                     }
                 });
}

} // namespace reel::cpu
