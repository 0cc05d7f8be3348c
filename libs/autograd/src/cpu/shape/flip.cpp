// Reversed dimensions are read with negative steps.
#include <reel/autograd/kernels/flip.hpp>

#include <type_traits>

#include <reel/autograd/host_data.hpp>

#include "cpu/shape/row_updates.hpp"
#include "cpu/walk.hpp"

namespace reel::cpu {

namespace {
template <class T> void move_row(char* const* data, const std::int64_t* s, std::int64_t n, const void*) {
    constexpr std::int64_t size = sizeof(T);
    if constexpr (std::is_integral_v<T>)
        if (s[0] == size && s[1] == -size)
            return row_updates<T>.reverse(reinterpret_cast<T*>(data[0]), reinterpret_cast<const T*>(data[1]), n);
    if (s[0] == size && s[1] == size) {
        std::memcpy(data[0], data[1], std::size_t(n * size));
        return;
    }
    for (std::int64_t i = 0; i < n; ++i) std::memcpy(data[0] + i * s[0], data[1] + i * s[1], sizeof(T));
}
} // namespace

void flip(const Tensor& out, const Tensor& x, std::uint64_t dims) {
    if (out.numel() == 0) return;
    const std::int64_t size = out.element_size();
    char* data[2] = {static_cast<char*>(host_data(out, "flip")), static_cast<char*>(host_data(x, "flip"))};
    Dims to, from;
    for (std::size_t d = 0; d < x.sizes().size(); ++d) {
        const std::int64_t n = x.sizes()[d], step = n == 1 ? 0 : x.strides()[d] * size;
        const bool reversed = dims >> d & 1;
        if (reversed) data[1] += (n - 1) * step;
        to.push_back(n == 1 ? 0 : out.strides()[d] * size);
        from.push_back(reversed ? -step : step);
    }
    const std::int64_t* const strides[2] = {to.data(), from.data()};
    dispatch_size(out.itemsize(), [&]<class T>() {
        for_each_strided(int(out.dim()), out.sizes().data(), 2, data, strides, &move_row<T>, nullptr);
    });
}

} // namespace reel::cpu
