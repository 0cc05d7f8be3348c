// Dense conversions, whole vectors at a time. The 16-bit floats go through float32.
#include "cpu/shape/convert.hpp"

#include <type_traits>

#include <reel/autograd/detail/cpu/vec.hpp>
#include <reel/autograd/detail/to_integer.hpp>

namespace reel::cpu::REEL_ISA {

namespace {

template <class T> inline constexpr bool is_narrow = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

#if !defined(__AVX512DQ__)
/// To int64 without an instruction for it: a block of numbers that int32 holds is converted to that and widened.
/// Returns how far that went.
template <class S> std::int64_t convert_by_int32(std::int64_t* d, const S* s, std::int64_t n) {
    constexpr std::int64_t block = 32;
    constexpr S bound = S(std::int64_t(1) << 31);
    std::int64_t i = 0;
    for (; i + block <= n; i += block) {
        int fit = 1;
        for (std::int64_t k = 0; k < block; ++k) fit &= int(s[i + k] < bound) & int(s[i + k] >= -bound);
        if (fit != 0)
            for (std::int64_t k = 0; k < block; ++k) d[i + k] = static_cast<std::int32_t>(s[i + k]);
        else
            for (std::int64_t k = 0; k < block; ++k) d[i + k] = detail::to_integer<std::int64_t>(s[i + k]);
    }
    return i;
}
#endif

template <class D, class S> void convert(void* to, const void* from, std::int64_t n) {
    D* const d = static_cast<D*>(to);
    const S* const s = static_cast<const S*>(from);
    std::int64_t i = 0;
    if constexpr (std::is_same_v<Compute<D>, float> && std::is_same_v<Compute<S>, float>) {
        constexpr int w = Vec<float>::size;
        for (; i + w <= n; i += w) store_as(d + i, load_as(s + i));
        for (; i < n; ++i) d[i] = D(float(s[i]));
    } else if constexpr (is_narrow<D> || is_narrow<S>) { // in pieces that stay in the first cache
        float piece[512];
        for (; i < n; i += 512) {
            const std::int64_t m = n - i < 512 ? n - i : 512;
            convert<float, S>(piece, s + i, m);
            convert<D, float>(d + i, piece, m);
        }
    } else if constexpr (std::is_same_v<S, bool>) { // bytes of 0 and 1, which vectors widen
        const auto* const bytes = reinterpret_cast<const std::uint8_t*>(s);
        for (; i < n; ++i) d[i] = D(bytes[i]);
    } else if constexpr (std::is_floating_point_v<S> && std::is_integral_v<D> && !std::is_same_v<D, bool>) {
#if !defined(__AVX512DQ__)
        if constexpr (std::is_same_v<D, std::int64_t>) i = convert_by_int32(d, s, n);
#endif
        for (; i < n; ++i) d[i] = detail::to_integer<D>(s[i]);
    } else
        for (; i < n; ++i) d[i] = D(s[i]);
}

/// Numbers of a real type as complex ones.
template <class T> void to_complex(void* to, const void* from, std::int64_t n) {
    T* const d = static_cast<T*>(to);
    const T* const s = static_cast<const T*>(from);
    for (std::int64_t i = 0; i < n; ++i) {
        d[2 * i] = s[i];
        d[2 * i + 1] = T(0);
    }
}

template <class D, class S> void set(ScalarType to, ScalarType from) {
    convert_kernels[int(to)][int(from)] = &convert<D, S>;
}
template <class S> void to_wide(ScalarType from) {
    set<float, S>(ScalarType::Float, from);
    set<double, S>(ScalarType::Double, from);
}
template <class D> void to_narrow(ScalarType to) {
    set<D, float>(to, ScalarType::Float);
    set<D, double>(to, ScalarType::Double);
    to_wide<D>(to);
}

} // namespace

void register_convert() {
    set<float, double>(ScalarType::Float, ScalarType::Double);
    set<double, float>(ScalarType::Double, ScalarType::Float);
    convert_kernels[int(ScalarType::ComplexFloat)][int(ScalarType::Float)] = &to_complex<float>;
    convert_kernels[int(ScalarType::ComplexDouble)][int(ScalarType::Double)] = &to_complex<double>;
    to_narrow<Half>(ScalarType::Half);
    to_narrow<BFloat16>(ScalarType::BFloat16);
    to_wide<std::int64_t>(ScalarType::Long);
    to_wide<std::int32_t>(ScalarType::Int);
    to_wide<std::uint8_t>(ScalarType::Byte);
    to_wide<bool>(ScalarType::Bool);
    set<std::int64_t, float>(ScalarType::Long, ScalarType::Float);
    set<std::int64_t, double>(ScalarType::Long, ScalarType::Double);
    set<std::int32_t, float>(ScalarType::Int, ScalarType::Float);
    set<std::int32_t, double>(ScalarType::Int, ScalarType::Double);
    set<bool, float>(ScalarType::Bool, ScalarType::Float);
    set<bool, double>(ScalarType::Bool, ScalarType::Double);
    set<bool, Half>(ScalarType::Bool, ScalarType::Half);
    set<bool, BFloat16>(ScalarType::Bool, ScalarType::BFloat16);
    set<bool, std::int64_t>(ScalarType::Bool, ScalarType::Long);
    set<bool, std::int32_t>(ScalarType::Bool, ScalarType::Int);
    set<bool, std::uint8_t>(ScalarType::Bool, ScalarType::Byte);
}

} // namespace reel::cpu::REEL_ISA
