#include "cudnn/tensor.hpp"

#include <bit>

#include <reel/autograd/half.hpp>

namespace reel::cuda::emulation::dnn {

std::size_t size_of(cudnnDataType_t type) {
    switch (type) {
    case CUDNN_DATA_DOUBLE:
    case CUDNN_DATA_INT64:
        return 8;
    case CUDNN_DATA_HALF:
    case CUDNN_DATA_BFLOAT16:
        return 2;
    case CUDNN_DATA_INT8:
    case CUDNN_DATA_BOOLEAN:
        return 1;
    default:
        return 4;
    }
}

View View::of(const Descriptor& tensor, void* data) {
    View v;
    v.type = tensor.get<cudnnDataType_t>(CUDNN_ATTR_TENSOR_DATA_TYPE);
    v.data = static_cast<std::byte*>(data);
    const auto sizes = tensor.list<std::int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS),
               strides = tensor.list<std::int64_t>(CUDNN_ATTR_TENSOR_STRIDES);
    for (std::size_t d = 0; d < sizes.size() && d < rank; ++d) {
        v.sizes[d] = sizes[d];
        v.strides[d] = strides[d];
    }
    return v;
}

/// Ten bits of mantissa, to nearest.
static float tf32(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    if ((bits & 0x7f800000U) == 0x7f800000U) return x;
    return std::bit_cast<float>((bits + 0xfffU + ((bits >> 13) & 1U)) & ~0x1fffU);
}

double View::get(std::int64_t i) const {
    switch (type) {
    case CUDNN_DATA_DOUBLE:
        return reinterpret_cast<const double*>(data)[i];
    case CUDNN_DATA_HALF:
        return float(reinterpret_cast<const reel::Half*>(data)[i]);
    case CUDNN_DATA_BFLOAT16:
        return float(reinterpret_cast<const reel::BFloat16*>(data)[i]);
    case CUDNN_DATA_INT32:
        return reinterpret_cast<const std::int32_t*>(data)[i];
    case CUDNN_DATA_BOOLEAN:
        return double(data[i] != std::byte(0));
    default: {
        const float x = reinterpret_cast<const float*>(data)[i];
        return rounds ? tf32(x) : x;
    }
    }
}
void View::put(std::int64_t i, double v) const {
    switch (type) {
    case CUDNN_DATA_DOUBLE:
        reinterpret_cast<double*>(data)[i] = v;
        break;
    case CUDNN_DATA_HALF:
        reinterpret_cast<reel::Half*>(data)[i] = reel::Half(float(v));
        break;
    case CUDNN_DATA_BFLOAT16:
        reinterpret_cast<reel::BFloat16*>(data)[i] = reel::BFloat16(float(v));
        break;
    case CUDNN_DATA_INT32:
        reinterpret_cast<std::int32_t*>(data)[i] = std::int32_t(v);
        break;
    case CUDNN_DATA_BOOLEAN:
        data[i] = std::byte(v != 0);
        break;
    default:
        reinterpret_cast<float*>(data)[i] = float(v);
    }
}

std::array<std::int64_t, View::rank> View::nth(std::int64_t i) const {
    std::array<std::int64_t, rank> at{};
    for (std::size_t d = rank; d-- > 0; i /= sizes[d]) at[d] = i % sizes[d];
    return at;
}
std::size_t View::extent() const {
    std::int64_t last = 0;
    for (std::size_t d = 0; d < rank; ++d) last += (sizes[d] - 1) * strides[d];
    return std::size_t(last + 1) * size_of(type);
}

} // namespace reel::cuda::emulation::dnn
