// Choices between two operands: elements are only moved.
#include <type_traits>

#include <reel/autograd/kernels/where.hpp>

#include "cpu/index/where_loops.hpp"
#include "cpu/walk.hpp"

namespace reel::cpu {

namespace {
/// The loop for a line whose elements stand one behind the other or repeat; null for other strides.
template <class T> WhereLine<T> line_for(const std::int64_t* s, std::int64_t n) {
    constexpr std::int64_t size = sizeof(T);
    if (n == 0 || s[0] != size || s[1] != 1) return nullptr;
    const WhereLoops<T>& loops = where_loops<T>;
    if (s[2] == size && s[3] == size) return loops.both_dense;
    if (s[2] == 0 && s[3] == size) return loops.input_repeats;
    return s[2] == size && s[3] == 0 ? loops.other_repeats : nullptr;
}
} // namespace

void where(const Tensor& out, const Tensor& condition, const Tensor& input, const Tensor& other) {
    dispatch_size(out.itemsize(), [&]<class T>() {
        walk("where", out.sizes(), {out, condition, input, other},
             [](char* const* d, const std::int64_t* s, std::int64_t n) {
                 if constexpr (std::is_integral_v<T>)
                     if (const WhereLine<T> line = line_for<T>(s, n))
                         return line(reinterpret_cast<T*>(d[0]), reinterpret_cast<const bool*>(d[1]),
                                     reinterpret_cast<const T*>(d[2]), reinterpret_cast<const T*>(d[3]), n);
                 for (std::int64_t i = 0; i < n; ++i)
                     *reinterpret_cast<T*>(d[0] + i * s[0]) = *reinterpret_cast<const bool*>(d[1] + i * s[1])
                                                                  ? *reinterpret_cast<const T*>(d[2] + i * s[2])
                                                                  : *reinterpret_cast<const T*>(d[3] + i * s[3]);
             });
    });
}

} // namespace reel::cpu
