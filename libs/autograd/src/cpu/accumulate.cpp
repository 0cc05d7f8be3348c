// Sums into elements that may overlap: one thread, in order.
#include <reel/autograd/kernels/accumulate.hpp>

#include <reel/autograd/pointwise/scalar_math.hpp>

#include "cpu/walk.hpp"
#include "op/dispatch.hpp"

namespace reel::cpu {

void accumulate(const Tensor& dst, const Tensor& src) {
    dispatch_all(dst.scalar_type(), "accumulate", [&]<class T>() {
        walk(
            "accumulate", dst.sizes(), {dst, src},
            [](char* const* data, const std::int64_t* strides, std::int64_t n) {
                char *d = data[0], *s = data[1];
                for (std::int64_t i = 0; i < n; ++i, d += strides[0], s += strides[1]) {
                    T& out = *reinterpret_cast<T*>(d);
                    out = T(math::wrapping(out) + math::wrapping(*reinterpret_cast<const T*>(s)));
                }
            },
            kSerial);
    });
}

} // namespace reel::cpu
