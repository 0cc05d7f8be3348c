// A tensor of a graph while it is computed.
#pragma once

#include <array>
#include <cstdint>

#include "cudnn/descriptor.hpp"

namespace reel::cuda::emulation::dnn {

std::size_t size_of(cudnnDataType_t type);

/// Elements by their places in up to `rank` dimensions, read and written as float64.
struct View {
    static constexpr std::size_t rank = 5;
    cudnnDataType_t type = CUDNN_DATA_DOUBLE;
    std::array<std::int64_t, rank> sizes{1, 1, 1, 1, 1}, strides{};
    std::byte* data = nullptr;
    bool rounds = false; ///< what is read, to TF32

    static View of(const Descriptor& tensor, void* data);
    std::int64_t place(const std::array<std::int64_t, rank>& at) const {
        std::int64_t i = 0;
        for (std::size_t d = 0; d < rank; ++d)
            i += (sizes[d] == 1 ? 0 : at[d]) * strides[d]; // sizes of one are read again
        return i;
    }
    double get(std::int64_t place) const;
    void put(std::int64_t place, double v) const;
    double operator[](const std::array<std::int64_t, rank>& at) const { return get(place(at)); }
    void put(const std::array<std::int64_t, rank>& at, double v) const { put(place(at), v); }
    std::int64_t count() const { return sizes[0] * sizes[1] * sizes[2] * sizes[3] * sizes[4]; }
    std::array<std::int64_t, rank> nth(std::int64_t i) const;
    /// Bytes from the first to behind the last element.
    std::size_t extent() const;
};

} // namespace reel::cuda::emulation::dnn
