// Choices between two operands: elements are only moved.
#include <reel/autograd/kernels/where.hpp>

#include "cpu/walk.hpp"

namespace reel::cpu {

void where(const Tensor& out, const Tensor& condition, const Tensor& input, const Tensor& other) {
    dispatch_size(out.itemsize(), [&]<class T>() {
        walk("where", out.sizes(), {out, condition, input, other},
             [](char* const* d, const std::int64_t* s, std::int64_t n) {
                 for (std::int64_t i = 0; i < n; ++i)
                     *reinterpret_cast<T*>(d[0] + i * s[0]) = *reinterpret_cast<const bool*>(d[1] + i * s[1])
                                                                  ? *reinterpret_cast<const T*>(d[2] + i * s[2])
                                                                  : *reinterpret_cast<const T*>(d[3] + i * s[3]);
             });
    });
}

} // namespace reel::cpu
