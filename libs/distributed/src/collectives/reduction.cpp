#include "collectives/reduction.hpp"

#include <algorithm>
#include <bit>
#include <complex>
#include <type_traits>

#include <reel/autograd/error.hpp>

namespace reel::distributed::detail {

namespace {
constexpr std::int64_t block = 1024; // elements that stay in the nearest cache while all ranks' are added

template <class T> inline constexpr bool is_complex = false;
template <class T> inline constexpr bool is_complex<std::complex<T>> = true;

/// What a T is computed in.
template <class T> struct ComputedIn { using type = T; };
template <> struct ComputedIn<Half> { using type = float; };
template <> struct ComputedIn<BFloat16> { using type = float; };

template <class T> T add(T a, T b) {
    if constexpr (std::is_integral_v<T>) return T(std::uint64_t(a) + std::uint64_t(b));
    else return a + b;
}
template <class T> T multiply(T a, T b) {
    if constexpr (std::is_integral_v<T>) return T(std::uint64_t(a) * std::uint64_t(b));
    else if constexpr (is_complex<T>)
        return T(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
    else return a * b;
}
template <class T> T least(T a, T b) { return a < b || a != a ? a : b; }
template <class T> T greatest(T a, T b) { return a > b || a != a ? a : b; }

/// Is a T computed in itself?
template <class T> constexpr bool is_plain = std::is_same_v<typename ComputedIn<T>::type, T>;

/// out = f(f(taken first, taken second), taken third) ..., by the quotient of `after`.
template <class T, class Take, class F>
void fold(T* out, const std::vector<const void*>& sources, std::int64_t count, T after, Take take, F f) {
    using C = typename ComputedIn<T>::type;
    if (is_plain<T> && sources.size() == 2 && after == T(1)) {
        const T *first = static_cast<const T*>(sources[0]), *second = static_cast<const T*>(sources[1]);
#pragma omp simd
        for (std::int64_t i = 0; i < count; ++i) out[i] = T(f(take(first[i]), take(second[i])));
        return;
    }
    C sum[block];
    for (std::int64_t begin = 0; begin < count; begin += block) {
        const std::int64_t n = std::min(block, count - begin);
        const T* first = static_cast<const T*>(sources[0]) + begin;
        for (std::int64_t i = 0; i < n; ++i) sum[i] = take(first[i]);
        for (std::size_t s = 1; s < sources.size(); ++s) {
            const T* next = static_cast<const T*>(sources[s]) + begin;
#pragma omp simd
            for (std::int64_t i = 0; i < n; ++i) sum[i] = f(sum[i], take(next[i]));
        }
        for (std::int64_t i = 0; i < n; ++i) out[begin + i] = T(sum[i]);
        if constexpr (!std::is_integral_v<T>)
            if (after != T(1))
                for (std::int64_t i = 0; i < n; ++i) out[begin + i] = T(C(out[begin + i]) / C(after));
    }
}

/// Each element by the divisor, rounded to its dtype, before they are added: what dividing the tensors first comes to.
template <class T>
void add_divided(T* out, const std::vector<const void*>& sources, std::int64_t count, std::uint32_t divisor) {
    using C = typename ComputedIn<T>::type;
    const auto sum = [](C a, C b) { return a + b; };
    const C by = C(divisor), inverse = C(1) / by;
    if (std::has_single_bit(divisor)) // no other bits, and sooner
        fold<T>(
            out, sources, count, T(1), [=](T x) { return C(T(C(x) * inverse)); }, sum);
    else
        fold<T>(
            out, sources, count, T(1), [=](T x) { return C(T(C(x) / by)); }, sum);
}

template <class T> void reduce_as(void* out, const std::vector<const void*>& sources, std::int64_t count, ReduceOp op) {
    using C = typename ComputedIn<T>::type;
    const auto with = [&](auto f, T after = T(1)) {
        fold<T>(
            static_cast<T*>(out), sources, count, after, [](T x) { return C(x); }, f);
    };
    switch (op) {
    case ReduceOp::kSum:
        return with([](C a, C b) { return add(a, b); });
    case ReduceOp::kAvg:
        return with([](C a, C b) { return add(a, b); }, T(float(sources.size())));
    case ReduceOp::kProduct:
        return with([](C a, C b) { return multiply(a, b); });
    case ReduceOp::kMin:
        if constexpr (!is_complex<T>) return with([](C a, C b) { return least(a, b); });
        break;
    case ReduceOp::kMax:
        if constexpr (!is_complex<T>) return with([](C a, C b) { return greatest(a, b); });
        break;
    case ReduceOp::kBand:
        if constexpr (std::is_integral_v<T>) return with([](C a, C b) { return C(a & b); });
        break;
    case ReduceOp::kBor:
        if constexpr (std::is_integral_v<T>) return with([](C a, C b) { return C(a | b); });
        break;
    case ReduceOp::kBxor:
        if constexpr (std::is_integral_v<T>) return with([](C a, C b) { return C(a ^ b); });
        break;
    }
    REEL_INTERNAL_ASSERT(false, "reduction of a dtype that was checked before");
}

/// Bools are bytes of 0 and 1.
void reduce_bools(void* out, const std::vector<const void*>& sources, std::int64_t count, ReduceOp op) {
    const bool is_and = op == kMin || op == kProduct || op == kBand;
    reduce_as<std::uint8_t>(out, sources, count, op == kBxor ? kBxor : is_and ? kBand : kBor);
}
} // namespace

void check_reduction(const char* what, ReduceOp op, ScalarType dtype) {
    const bool integral = isIntegralType(dtype, true);
    REEL_CHECK_VALUE(op != kAvg || !integral, what, ": avg of ", dtype_name(dtype),
                     ": an average of integers is no integer; reduce with sum and divide, or convert first");
    REEL_CHECK_VALUE((op != kMin && op != kMax) || !isComplexType(dtype), what, ": ", name_of(op), " of ",
                     dtype_name(dtype), ": complex numbers have no order");
    REEL_CHECK_VALUE((op != kBand && op != kBor && op != kBxor) || integral, what, ": ", name_of(op), " of ",
                     dtype_name(dtype), ": bitwise reductions are for integers and bool");
}

void reduce_elements(void* out, const std::vector<const void*>& sources, std::int64_t count, ScalarType dtype,
                     ReduceOp op) {
    if (dtype == kBool) return reduce_bools(out, sources, count, op);
    switch (dtype) {
#define REEL_REDUCE(T, Name)                                                                                           \
    case ScalarType::Name:                                                                                             \
        return reduce_as<T>(out, sources, count, op);
        REEL_REDUCE(std::uint8_t, Byte)
        REEL_REDUCE(std::int8_t, Char)
        REEL_REDUCE(std::int16_t, Short)
        REEL_REDUCE(std::int32_t, Int)
        REEL_REDUCE(std::int64_t, Long)
        REEL_REDUCE(Half, Half)
        REEL_REDUCE(BFloat16, BFloat16)
        REEL_REDUCE(float, Float)
        REEL_REDUCE(double, Double)
        REEL_REDUCE(std::complex<float>, ComplexFloat)
        REEL_REDUCE(std::complex<double>, ComplexDouble)
#undef REEL_REDUCE
    default:
        REEL_INTERNAL_ASSERT(false, "no reduction of ", dtype);
    }
}

void add_divided_elements(void* out, const std::vector<const void*>& sources, std::int64_t count, ScalarType dtype,
                          std::uint32_t divisor) {
    switch (dtype) {
    case ScalarType::Half:
        return add_divided(static_cast<Half*>(out), sources, count, divisor);
    case ScalarType::BFloat16:
        return add_divided(static_cast<BFloat16*>(out), sources, count, divisor);
    case ScalarType::Float:
        return add_divided(static_cast<float*>(out), sources, count, divisor);
    case ScalarType::Double:
        return add_divided(static_cast<double*>(out), sources, count, divisor);
    default:
        REEL_INTERNAL_ASSERT(false, "no divided sum of ", dtype);
    }
}

} // namespace reel::distributed::detail
