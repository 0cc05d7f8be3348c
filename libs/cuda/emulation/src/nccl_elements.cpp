#if __has_include(<nccl.h>)

#include "nccl_elements.hpp"

#include <cstdint>
#include <string>
#include <type_traits>

#include <reel/autograd/dtype.hpp>

#include "fault.hpp"

namespace reel::cuda::emulation {

std::size_t size_of(ncclDataType_t t) {
    switch (t) {
    case ncclInt8:
    case ncclUint8:
        return 1;
    case ncclFloat16:
    case ncclBfloat16:
        return 2;
    case ncclInt32:
    case ncclUint32:
    case ncclFloat32:
        return 4;
    case ncclInt64:
    case ncclUint64:
    case ncclFloat64:
        return 8;
    default:
        return 0;
    }
}

namespace {
// By another order than that of the ranks: nobody may count on one.
template <class T, class C> void reduce_as(Bytes& into, const Bytes& from, ncclRedOp_t op) {
    auto* const a = reinterpret_cast<T*>(into.data());
    const auto* const b = reinterpret_cast<const T*>(from.data());
    // integers wrap
    using Wide = std::conditional_t<std::is_integral_v<C>, std::uint64_t, C>;
    for (std::size_t i = 0; i < into.size() / sizeof(T); ++i) {
        const C x = C(a[i]), y = C(b[i]);
        C r = x;
        if (op == ncclSum || op == ncclAvg) r = C(Wide(x) + Wide(y));
        else if (op == ncclProd) r = C(Wide(x) * Wide(y));
        else if (op == ncclMax) r = y > x || y != y ? y : x;
        else r = y < x || y != y ? y : x;
        a[i] = T(r);
    }
}
template <class T> void divide_as(Bytes& bytes, int n) {
    auto* const a = reinterpret_cast<T*>(bytes.data());
    for (std::size_t i = 0; i < bytes.size() / sizeof(T); ++i) a[i] = T(double(a[i]) / n);
}
template <> void divide_as<reel::Half>(Bytes& bytes, int n) {
    auto* const a = reinterpret_cast<reel::Half*>(bytes.data());
    for (std::size_t i = 0; i < bytes.size() / 2; ++i) a[i] = reel::Half(float(a[i]) / float(n));
}
template <> void divide_as<reel::BFloat16>(Bytes& bytes, int n) {
    auto* const a = reinterpret_cast<reel::BFloat16*>(bytes.data());
    for (std::size_t i = 0; i < bytes.size() / 2; ++i) a[i] = reel::BFloat16(float(a[i]) / float(n));
}
template <class T, class C = T> void reduce_all(Bytes& out, const std::vector<Bytes>& in, ncclRedOp_t op) {
    out = in.back();
    for (std::size_t i = in.size() - 1; i-- > 0;) reduce_as<T, C>(out, in[i], op);
    if (op == ncclAvg) divide_as<T>(out, int(in.size()));
}
} // namespace

Bytes reduced(const std::vector<Bytes>& in, ncclDataType_t type, ncclRedOp_t op) {
    Bytes out;
    switch (type) {
#define REEL_REDUCED(name, ...)                                                                                        \
    case name:                                                                                                         \
        reduce_all<__VA_ARGS__>(out, in, op);                                                                          \
        break;
        REEL_REDUCED(ncclInt8, std::int8_t)
        REEL_REDUCED(ncclUint8, std::uint8_t)
        REEL_REDUCED(ncclInt32, std::int32_t)
        REEL_REDUCED(ncclUint32, std::uint32_t)
        REEL_REDUCED(ncclInt64, std::int64_t)
        REEL_REDUCED(ncclUint64, std::uint64_t)
        REEL_REDUCED(ncclFloat16, reel::Half, float)
        REEL_REDUCED(ncclBfloat16, reel::BFloat16, float)
        REEL_REDUCED(ncclFloat32, float)
        REEL_REDUCED(ncclFloat64, double)
#undef REEL_REDUCED
    default:
        fault("NCCL's stand-in reduces no elements of type " + std::to_string(int(type)));
    }
    return out;
}

} // namespace reel::cuda::emulation

#endif
