// Reading and writing at computed positions.
#include <reel/autograd/kernels/index.hpp>

#include <atomic>
#include <cmath>
#include <complex>
#include <cstring>
#include <type_traits>

#include <reel/autograd/parallel.hpp>
#include <reel/autograd/pointwise/scalar_math.hpp>

#include "cpu/copy_bytes.hpp"
#include "cpu/index/index_kernels.hpp"
#include "cpu/shape/row_updates.hpp"
#include "cpu/walk.hpp"
#include "op/dispatch.hpp"

namespace reel::cpu {

namespace {

/// Are all `n` numbers in [-before, after)?
bool in_range(const char* p, std::int64_t step, std::int64_t n, std::int64_t before, std::int64_t after,
              bool& negative) {
    const std::uint64_t shift = std::uint64_t(before), extent = shift + std::uint64_t(after);
    std::int64_t signs = 0;
    bool outside = false;
    const auto look = [&](std::int64_t distance) {
        for (std::int64_t k = 0; k < n; ++k) {
            const std::int64_t i = *reinterpret_cast<const std::int64_t*>(p + k * distance);
            outside |= std::uint64_t(i) + shift >= extent;
            signs |= i;
        }
    };
    if (step == sizeof(std::int64_t))
        outside = !index_kernels.in_range(reinterpret_cast<const std::int64_t*>(p), n, shift, extent, signs);
    else look(step);
    negative |= signs < 0;
    return !outside;
}

} // namespace

void check_index(const char* op, const Tensor& index, std::int64_t size, bool wrap, bool& negative) {
    const std::int64_t before = wrap ? size : 0;
    std::atomic<bool> below = false, outside = false;
    walk(op, index.sizes(), {index}, [&](char* const* data, const std::int64_t* s, std::int64_t n) {
        bool signs = false;
        if (!in_range(data[0], s[0], n, before, size, signs)) outside.store(true, std::memory_order_relaxed);
        if (signs) below.store(true, std::memory_order_relaxed);
    });
    negative = below;
    if (!outside) return;
    walk( // the first one is named
        op, index.sizes(), {index},
        [&](char* const* data, const std::int64_t* s, std::int64_t n) {
            for (std::int64_t k = 0; k < n; ++k) {
                const std::int64_t i = *reinterpret_cast<const std::int64_t*>(data[0] + k * s[0]);
                REEL_CHECK_INDEX(i < size && i >= -before, op, ": index ", i,
                                 " is out of range for a dimension of size ", size);
            }
        },
        kSerial);
}

void wrap_index(const char* op, const Tensor& index, std::int64_t size) {
    std::int64_t* const p = host_data<std::int64_t>(index, op);
    parallel_for(0, index.numel(), 32768, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t k = begin; k < end; ++k) p[k] += p[k] < 0 ? size : 0;
    });
}

void gather(const Tensor& out, const Tensor& self, const Tensor& index, std::int64_t step) {
    const std::int64_t bytes = step * self.element_size();
    dispatch_size(self.itemsize(), [&]<class T>() {
        walk("gather", out.sizes(), {out, index, self},
             [bytes](char* const* data, const std::int64_t* s, std::int64_t n) {
                 char *o = data[0], *i = data[1], *x = data[2];
                 if (s[1] == 0) { // one index for the whole stretch: a row
                     x += *reinterpret_cast<const std::int64_t*>(i) * bytes;
                     if (s[0] == sizeof(T) && s[2] == sizeof(T)) {
                         copy_bytes(o, x, std::size_t(n) * sizeof(T));
                         return;
                     }
                     for (std::int64_t k = 0; k < n; ++k, o += s[0], x += s[2]) std::memcpy(o, x, sizeof(T));
                     return;
                 }
                 if (s[0] == sizeof(T) && s[1] == 8 && s[2] == 0 && bytes == sizeof(T)) { // from one dense row
                     T* const to = reinterpret_cast<T*>(o);
                     const T* const from = reinterpret_cast<const T*>(x);
                     const auto* const at = reinterpret_cast<const std::int64_t*>(i);
                     if constexpr (std::is_same_v<T, std::uint32_t>) return index_kernels.gather4(to, from, at, n);
                     if constexpr (std::is_same_v<T, std::uint64_t>) return index_kernels.gather8(to, from, at, n);
                     for (std::int64_t k = 0; k < n; ++k) to[k] = from[at[k]];
                     return;
                 }
                 for (std::int64_t k = 0; k < n; ++k, o += s[0], i += s[1], x += s[2])
                     std::memcpy(o, x + *reinterpret_cast<const std::int64_t*>(i) * bytes, sizeof(T));
             });
    });
}

namespace {

template <class T> bool is_nan(const T& v) {
    if constexpr (std::is_floating_point_v<T>) return std::isnan(v);
    else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) return std::isnan(float(v));
    else return false;
}

template <ScatterMode mode, class T> T combine(const T& a, const T& b) {
    if constexpr (mode == ScatterMode::Assign) return b;
    else if constexpr (mode == ScatterMode::Add) return T(math::wrapping(a) + math::wrapping(b));
    else if constexpr (mode == ScatterMode::Multiply) return T(math::wrapping(a) * math::wrapping(b));
    else if constexpr (requires { a < b; }) {
        if (is_nan(a)) return a;
        if (is_nan(b)) return b;
        if constexpr (mode == ScatterMode::Maximum) return a < b ? b : a;
        else return b < a ? b : a;
    } else return a;
}

template <class T>
inline constexpr bool is_floating =
    std::is_floating_point_v<T> || std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

template <ScatterMode mode, class T>
void scatter_loop(const Tensor& self, const Tensor& index, const Tensor& src, std::int64_t bytes, bool apart) {
    const auto loop = [bytes](char* const* data, const std::int64_t* s, std::int64_t n) {
        char *o = data[0], *i = data[1], *x = data[2];
        if (s[1] == 0 && s[0] == sizeof(T) && s[2] == sizeof(T)) {
            T* to = reinterpret_cast<T*>(o + *reinterpret_cast<const std::int64_t*>(i) * bytes);
            const T* from = reinterpret_cast<const T*>(x);
            if constexpr (mode == ScatterMode::Add && is_floating<T>) return row_updates<T>.add(to, from, n);
            for (std::int64_t k = 0; k < n; ++k) to[k] = combine<mode>(to[k], from[k]);
            return;
        }
        if (s[0] == 0 && s[1] == 8 && s[2] == 0 && bytes == sizeof(T)) { // one element into a dense row
            T* const to = reinterpret_cast<T*>(o);
            const T from = *reinterpret_cast<const T*>(x);
            const auto* const at = reinterpret_cast<const std::int64_t*>(i);
            for (std::int64_t k = 0; k < n; ++k) to[at[k]] = combine<mode>(to[at[k]], from);
            return;
        }
        if (s[0] == 0 && s[1] == 8 && s[2] == sizeof(T) && bytes == sizeof(T)) { // into one dense row
            T* const to = reinterpret_cast<T*>(o);
            const T* const from = reinterpret_cast<const T*>(x);
            const auto* const at = reinterpret_cast<const std::int64_t*>(i);
            for (std::int64_t k = 0; k < n; ++k) to[at[k]] = combine<mode>(to[at[k]], from[k]);
            return;
        }
        for (std::int64_t k = 0; k < n; ++k, o += s[0], i += s[1], x += s[2]) {
            T& to = *reinterpret_cast<T*>(o + *reinterpret_cast<const std::int64_t*>(i) * bytes);
            to = combine<mode>(to, *reinterpret_cast<const T*>(x));
        }
    };
    // Where indices repeat, the order of the sources decides: threads share what no index leads from one to the other.
    if (apart) walk_apart("scatter", index.sizes(), {self, index, src}, loop);
    else walk("scatter", index.sizes(), {self, index, src}, loop, kSerial);
}

} // namespace

void scatter(ScatterMode mode, const Tensor& self, const Tensor& index, const Tensor& src, std::int64_t step,
             bool apart) {
    const std::int64_t bytes = step * self.element_size();
    if (mode == ScatterMode::Assign) {
        dispatch_size(self.itemsize(),
                      [&]<class T>() { scatter_loop<ScatterMode::Assign, T>(self, index, src, bytes, apart); });
        return;
    }
    dispatch_all(self.scalar_type(), "scatter", [&]<class T>() {
        switch (mode) {
        case ScatterMode::Add:
            return scatter_loop<ScatterMode::Add, T>(self, index, src, bytes, apart);
        case ScatterMode::Multiply:
            return scatter_loop<ScatterMode::Multiply, T>(self, index, src, bytes, apart);
        case ScatterMode::Maximum:
            return scatter_loop<ScatterMode::Maximum, T>(self, index, src, bytes, apart);
        default:
            return scatter_loop<ScatterMode::Minimum, T>(self, index, src, bytes, apart);
        }
    });
}

} // namespace reel::cpu
