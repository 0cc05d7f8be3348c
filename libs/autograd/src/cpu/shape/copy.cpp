// Copies and fills: memcpy where dense, blocked transposes, converting loops.
#include <reel/autograd/kernels/copy.hpp>

#include <algorithm>
#include <cstring>

#include <reel/autograd/detail/to_integer.hpp>
#include <reel/autograd/host_data.hpp>
#include <reel/autograd/parallel.hpp>

#include "cpu/copy_bytes.hpp"
#include "cpu/element.hpp"
#include "cpu/shape/convert.hpp"
#include "cpu/shape/row_updates.hpp"
#include "cpu/shape/transpose.hpp"
#include "cpu/strided.hpp"

namespace reel::cpu {

namespace {

template <class T> struct IsComplex : std::false_type {};
template <class T> struct IsComplex<std::complex<T>> : std::true_type {};

template <class D, class S> D convert(S v) {
    if constexpr (std::is_same_v<D, S>) return v;
    else if constexpr (std::is_same_v<D, bool>) {
        if constexpr (IsComplex<S>::value) return v.real() != 0 || v.imag() != 0;
        else if constexpr (std::is_same_v<S, Half> || std::is_same_v<S, BFloat16>) return float(v) != 0;
        else return v != 0;
    } else if constexpr (IsComplex<S>::value && IsComplex<D>::value)
        return D(typename D::value_type(v.real()), typename D::value_type(v.imag()));
    else if constexpr (IsComplex<S>::value) return convert<D>(v.real());
    else if constexpr (IsComplex<D>::value) return D(convert<typename D::value_type>(v), 0);
    else if constexpr (std::is_same_v<S, Half> || std::is_same_v<S, BFloat16>) return convert<D>(float(v));
    else if constexpr (std::is_same_v<D, Half> || std::is_same_v<D, BFloat16>) return D(float(v));
    else if constexpr (std::is_floating_point_v<S> && std::is_integral_v<D>) return detail::to_integer<D>(v);
    else return D(v);
}

/// `n` elements with these bytes.
template <class T> void fill_with(char* to, const T& value, std::int64_t n) {
    const auto fill = [&]<class Bytes>(Bytes bytes) {
        std::memcpy(&bytes, &value, sizeof(T));
        row_updates<Bytes>.fill(reinterpret_cast<Bytes*>(to), bytes, n);
    };
    if constexpr (sizeof(T) == 1) fill(std::uint8_t());
    else if constexpr (sizeof(T) == 2) fill(std::uint16_t());
    else if constexpr (sizeof(T) == 4) fill(std::uint32_t());
    else if constexpr (sizeof(T) == 8) fill(std::uint64_t());
    else std::fill_n(reinterpret_cast<T*>(to), n, value);
}

template <class D, class S>
void convert_loop(char* const* data, const std::int64_t* strides, std::int64_t n, const void*) {
    if (strides[0] == sizeof(D) && strides[1] == sizeof(S)) {
        D* d = reinterpret_cast<D*>(data[0]);
        const S* s = reinterpret_cast<const S*>(data[1]);
        if (const ConvertFn f = convert_kernel(dtype_of<D>, dtype_of<S>)) return f(d, s, n);
        for (std::int64_t i = 0; i < n; ++i) d[i] = convert<D>(s[i]);
        return;
    }
    if (strides[0] == sizeof(D) && strides[1] == 0) {
        const D value = convert<D>(*reinterpret_cast<const S*>(data[1]));
        return fill_with(data[0], value, n);
    }
    char *d = data[0], *s = data[1];
    for (std::int64_t i = 0; i < n; ++i, d += strides[0], s += strides[1])
        *reinterpret_cast<D*>(d) = convert<D>(*reinterpret_cast<const S*>(s));
}

template <class T> void same_loop(char* const* data, const std::int64_t* strides, std::int64_t n, const void*) {
    if (strides[0] == sizeof(T) && strides[1] == sizeof(T)) {
        copy_bytes(data[0], data[1], std::size_t(n) * sizeof(T));
        return;
    }
    if (strides[1] == 0 && strides[0] == sizeof(T)) {
        fill_with(data[0], *reinterpret_cast<const T*>(data[1]), n);
        return;
    }
    char *d = data[0], *s = data[1];
    for (std::int64_t i = 0; i < n; ++i, d += strides[0], s += strides[1])
        *reinterpret_cast<T*>(d) = *reinterpret_cast<const T*>(s);
}

using Bits16 = std::complex<double>;

Loop same_size_loop(std::size_t bytes) {
    switch (bytes) {
    case 1:
        return &same_loop<std::uint8_t>;
    case 2:
        return &same_loop<std::uint16_t>;
    case 4:
        return &same_loop<std::uint32_t>;
    case 8:
        return &same_loop<std::uint64_t>;
    default:
        return &same_loop<Bits16>;
    }
}
template <class D> Loop loop_from(ScalarType src) {
    switch (src) {
#define REEL_CASE(T, Name)                                                                                             \
    case ScalarType::Name:                                                                                             \
        return &convert_loop<D, T>;
        REEL_FORALL_SCALAR_TYPES(REEL_CASE)
#undef REEL_CASE
    default:
        return nullptr;
    }
}
Loop converting_loop(ScalarType dst, ScalarType src) {
    if (dst == src) return same_size_loop(elementSize(dst));
    switch (dst) {
#define REEL_CASE(T, Name)                                                                                             \
    case ScalarType::Name:                                                                                             \
        return loop_from<T>(src);
        REEL_FORALL_SCALAR_TYPES(REEL_CASE)
#undef REEL_CASE
    default:
        return nullptr;
    }
}

constexpr std::int64_t bypass_from = std::int64_t(16) << 20; // bytes from which results go past the caches

/// dst[i][j] = src[j][i] by the kernels of the instruction set.
template <class T>
void transpose_vectors(TransposeFn<T> kernel, void* dst, std::int64_t dst_row, const void* src, std::int64_t src_col,
                       std::int64_t rows, std::int64_t cols) {
    const bool bypass = rows * cols * std::int64_t(sizeof(T)) >= bypass_from;
    parallel_for(0, (rows + 15) / 16, std::max<std::int64_t>(1, 32768 / (16 * cols + 1)),
                 [&](std::int64_t b, std::int64_t e) {
                     const std::int64_t first = b * 16, last = std::min(rows, e * 16);
                     kernel(static_cast<T*>(dst) + first * dst_row, dst_row, static_cast<const T*>(src) + first,
                            src_col, last - first, cols, bypass);
                 });
}
/// The same for other sizes, in tiles that fit the first-level cache.
template <class T>
void transpose(T* dst, std::int64_t dst_row, const T* src, std::int64_t src_col, std::int64_t rows, std::int64_t cols) {
    constexpr std::int64_t tile = sizeof(T) >= 8 ? 16 : 32;
    parallel_for(0, (rows + tile - 1) / tile, std::max<std::int64_t>(1, 32768 / (tile * cols + 1)),
                 [&](std::int64_t b, std::int64_t e) {
                     for (std::int64_t i0 = b * tile; i0 < std::min(rows, e * tile); i0 += tile)
                         for (std::int64_t j0 = 0; j0 < cols; j0 += tile) {
                             const std::int64_t i1 = std::min(i0 + tile, rows), j1 = std::min(j0 + tile, cols);
                             if (i1 - i0 == tile && j1 - j0 == tile) {
                                 T block[tile][tile];
                                 for (std::int64_t j = 0; j < tile; ++j) {
                                     const T* s = src + (j0 + j) * src_col + i0;
                                     for (std::int64_t i = 0; i < tile; ++i) block[i][j] = s[i];
                                 }
                                 for (std::int64_t i = 0; i < tile; ++i)
                                     std::memcpy(dst + (i0 + i) * dst_row + j0, block[i], sizeof(block[i]));
                                 continue;
                             }
                             for (std::int64_t i = i0; i < i1; ++i)
                                 for (std::int64_t j = j0; j < j1; ++j) dst[i * dst_row + j] = src[j * src_col + i];
                         }
                 });
}
template <class T>
void transpose_bytes(void* dst, std::int64_t dr, const void* src, std::int64_t sc, std::int64_t rows,
                     std::int64_t cols) {
    transpose(static_cast<T*>(dst), dr, static_cast<const T*>(src), sc, rows, cols);
}
void transpose_any(std::size_t bytes, void* dst, std::int64_t dr, const void* src, std::int64_t sc, std::int64_t rows,
                   std::int64_t cols) {
    switch (bytes) {
    case 1:
        return transpose_bytes<std::uint8_t>(dst, dr, src, sc, rows, cols);
    case 2:
        return transpose_bytes<std::uint16_t>(dst, dr, src, sc, rows, cols);
    case 4:
        return transpose_vectors(transpose_kernels.b4, dst, dr, src, sc, rows, cols);
    case 8:
        return transpose_vectors(transpose_kernels.b8, dst, dr, src, sc, rows, cols);
    default:
        return transpose_bytes<Bits16>(dst, dr, src, sc, rows, cols);
    }
}

/// The dimensions of a copy in the order of the destination's memory, outermost first, joined where both sides go on;
/// those of one element are left out.
struct CopyDims {
    static constexpr int max_dims = 64;
    int dims = 0;
    std::int64_t size[max_dims], to[max_dims], from[max_dims];

    CopyDims(int ndim, const std::int64_t* shape, const std::int64_t* ds, const std::int64_t* ss) {
        for (int d = 0; d < ndim; ++d) {
            if (shape[d] == 1) continue;
            int at = dims++;
            for (; at > 0 && to[at - 1] < ds[d]; --at) set(at, size[at - 1], to[at - 1], from[at - 1]);
            set(at, shape[d], ds[d], ss[d]);
        }
        int last = 0;
        for (int d = 1; d < dims; ++d) {
            if (to[last] == to[d] * size[d] && from[last] == from[d] * size[d])
                set(last, size[last] * size[d], to[d], from[d]);
            else ++last, set(last, size[d], to[d], from[d]);
        }
        dims = dims == 0 ? 0 : last + 1;
    }
    /// Is the innermost dimension too short for a loop of its own, and the one around it longer?
    bool narrow() const { return dims >= 2 && size[dims - 1] < 8 && size[dims - 2] > size[dims - 1]; }
    /// A dimension along which the source lies dense while the destination does along the innermost one: these two are
    /// transposed. -1 where there is none, or where it is not worth it.
    int transposed() const {
        if (dims < 2 || to[dims - 1] != 1 || size[dims - 1] < 8 || from[dims - 1] == 1 || from[dims - 1] == 0)
            return -1;
        for (int d = dims - 2; d >= 0; --d)
            if (from[d] == 1) return size[d] < 8 ? -1 : d;
        return -1;
    }

private:
    void set(int d, std::int64_t n, std::int64_t t, std::int64_t f) { size[d] = n, to[d] = t, from[d] = f; }
};
/// The copy whose dimension `rows` is transposed with the innermost one.
void copy_transposed(const CopyDims& c, int rows, std::size_t bytes, char* dst, const char* src) {
    const int inner = c.dims - 1;
    std::int64_t outer = 1;
    for (int d = 0; d < inner; ++d)
        if (d != rows) outer *= c.size[d];
    const std::int64_t plane = c.size[rows] * c.size[inner];
    parallel_for(0, outer, std::max<std::int64_t>(1, 32768 / plane), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t o = begin; o < end; ++o) {
            std::int64_t rest = o, to = 0, from = 0;
            for (int d = inner - 1; d >= 0; --d) {
                if (d == rows) continue;
                to += rest % c.size[d] * c.to[d];
                from += rest % c.size[d] * c.from[d];
                rest /= c.size[d];
            }
            transpose_any(bytes, dst + to * std::int64_t(bytes), c.to[rows], src + from * std::int64_t(bytes),
                          c.from[inner], c.size[rows], c.size[inner]);
        }
    });
}

/// A copy whose loops run along the dimension around the innermost one, which is narrow; blocks of it stay in the cache
/// from one of its few columns to the next.
void copy_narrow(const CopyDims& c, char* dst, std::int64_t dst_bytes, const char* src, std::int64_t src_bytes,
                 Loop loop) {
    constexpr std::int64_t block = 1024;
    const int inner = c.dims - 1, along = c.dims - 2;
    const std::int64_t length = c.size[along], columns = c.size[inner], blocks = (length + block - 1) / block;
    const std::int64_t steps[] = {c.to[along] * dst_bytes, c.from[along] * src_bytes};
    std::int64_t tasks = blocks;
    for (int d = 0; d < along; ++d) tasks *= c.size[d];
    const std::int64_t task_size = columns * std::min(length, block);
    parallel_for(0, tasks, std::max<std::int64_t>(1, 32768 / task_size), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t t = begin; t < end; ++t) {
            const std::int64_t first = t % blocks * block;
            std::int64_t rest = t / blocks, to = first * c.to[along], from = first * c.from[along];
            for (int d = along - 1; d >= 0; --d) {
                to += rest % c.size[d] * c.to[d];
                from += rest % c.size[d] * c.from[d];
                rest /= c.size[d];
            }
            for (std::int64_t k = 0; k < columns; ++k) {
                char* const data[] = {dst + (to + k * c.to[inner]) * dst_bytes,
                                      const_cast<char*>(src) + (from + k * c.from[inner]) * src_bytes};
                loop(data, steps, std::min(block, length - first), nullptr);
            }
        }
    });
}

/// dst[i] = src[i] over `shape`; strides in elements, outermost first.
void copy_strided(int ndim, const std::int64_t* shape, void* dst, const std::int64_t* ds, ScalarType dt,
                  const void* src, const std::int64_t* ss, ScalarType st) {
    const std::int64_t db = std::int64_t(elementSize(dt)), sb = std::int64_t(elementSize(st));
    if (ndim >= 2) {
        const CopyDims dims(ndim, shape, ds, ss);
        char* const to = static_cast<char*>(dst);
        const char* const from = static_cast<const char*>(src);
        if (const int rows = dt == st ? dims.transposed() : -1; rows >= 0)
            return copy_transposed(dims, rows, std::size_t(db), to, from);
        if (dims.narrow()) return copy_narrow(dims, to, db, from, sb, converting_loop(dt, st));
    }
    std::int64_t dbytes[64], sbytes[64];
    for (int d = 0; d < ndim; ++d) { // one step is none; its stride may be any number
        dbytes[d] = shape[d] == 1 ? 0 : ds[d] * db;
        sbytes[d] = shape[d] == 1 ? 0 : ss[d] * sb;
    }
    char* data[2] = {static_cast<char*>(dst), const_cast<char*>(static_cast<const char*>(src))};
    const std::int64_t* strides[2] = {dbytes, sbytes};
    for_each_strided(ndim, shape, 2, data, strides, converting_loop(dt, st), nullptr);
}

/// One element's bytes.
struct Element {
    alignas(most_element_bytes) unsigned char bytes[most_element_bytes] = {};
    Element(const Scalar& value, ScalarType t) { write_element(value, t, bytes); }
    bool is_zero() const {
        return std::all_of(bytes, bytes + sizeof(bytes), [](unsigned char b) { return b == 0; });
    }
};
constexpr std::int64_t bytes_per_task = std::int64_t(1) << 20;

/// From `src`, whose elements lie `step` bytes apart, into all of `dst`, which is contiguous.
void copy_rows(const Tensor& dst, char* to, const void* src, ScalarType st, std::int64_t step) {
    const ScalarType dt = dst.scalar_type();
    char* const data[] = {to, const_cast<char*>(static_cast<const char*>(src))};
    const std::int64_t steps[] = {std::int64_t(elementSize(dt)), step};
    for_each_flat(dst.numel(), 2, data, steps, converting_loop(dt, st), nullptr);
}

} // namespace

void copy(const Tensor& dst, const Tensor& src, bool /*non_blocking*/) {
    if (dst.is_contiguous() && src.is_contiguous())
        return copy_rows(dst, static_cast<char*>(host_data(dst, "copy")), host_data(src, "copy"), src.scalar_type(),
                         std::int64_t(elementSize(src.scalar_type())));
    copy_strided(int(dst.dim()), dst.sizes().data(), host_data(dst, "copy"), dst.strides().data(), dst.scalar_type(),
                 host_data(src, "copy"), src.strides().data(), src.scalar_type());
}

void fill(const Tensor& dst, const Scalar& value) {
    const Element one(value, dst.scalar_type());
    char* const to = static_cast<char*>(host_data(dst, "fill"));
    if (one.is_zero() && dst.is_contiguous()) {
        parallel_for(0, std::int64_t(dst.nbytes()), bytes_per_task, [to](std::int64_t begin, std::int64_t end) {
            std::memset(to + begin, 0, std::size_t(end - begin));
        });
        return;
    }
    if (dst.is_contiguous()) return copy_rows(dst, to, one.bytes, dst.scalar_type(), 0);
    const Dims zero(dst.sizes().size(), 0);
    copy_strided(int(dst.dim()), dst.sizes().data(), to, dst.strides().data(), dst.scalar_type(), one.bytes,
                 zero.data(), dst.scalar_type());
}

} // namespace reel::cpu
