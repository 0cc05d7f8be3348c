// Memory that a kernel's function needs for itself: until the stream has passed what was queued.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include <reel/autograd/tensor.hpp>

#include "capturing.hpp"
#include "elements.cuh"

namespace reel::cuda {

/// So many bytes where `like` lives, as a tensor: what holds them lets go of them.
Tensor scratch_bytes(std::int64_t bytes, const Tensor& like);

/// Room for `count` of T where `like` lives.
template <class T> class DeviceScratch {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    DeviceScratch(std::int64_t count, const Tensor& like)
        : bytes_(scratch_bytes(count * std::int64_t(sizeof(T)), like)) {}
    T* data() const { return reinterpret_cast<T*>(bytes_.data_ptr()); }

private:
    Tensor bytes_;
};

/// What fits into a kernel's parameters.
template <int size> struct TablePiece { unsigned char bytes[size]; };
template <int size> __global__ void store_kernel(TablePiece<size> piece, unsigned char* to, int count) {
    for (int i = int(threadIdx.x); i < count; i += int(blockDim.x)) to[i] = piece.bytes[i];
}

/// A table of the host's, there. Its device must be current. Tables of moderate size travel as parameters of kernels:
/// nobody waits, and a captured graph keeps them.
template <class T> class DeviceTable : public DeviceScratch<T> {
public:
    DeviceTable(const std::vector<T>& table, const Tensor& like, const OnDevice& on)
        : DeviceScratch<T>(std::int64_t(table.size()), like) {
        constexpr int size = 2048;
        constexpr std::size_t moderate = 64 * size;
        const std::size_t bytes = table.size() * sizeof(T);
        if (bytes > moderate) {
            refuse_to_wait("a table copied from pageable memory");
            REEL_CUDA(cudaMemcpyAsync(this->data(), table.data(), bytes, cudaMemcpyHostToDevice, on.stream()));
            return;
        }
        auto* const to = reinterpret_cast<unsigned char*>(this->data());
        for (std::size_t at = 0; at < bytes; at += size) {
            TablePiece<size> piece;
            const std::size_t count = std::min(bytes - at, std::size_t(size));
            std::memcpy(piece.bytes, reinterpret_cast<const unsigned char*>(table.data()) + at, count);
            launch("table", store_kernel<size>, on.blocks(1), piece, to + at, int(count));
        }
    }
};

/// One value from there, when the stream has come so far.
template <class T> T on_host(const DeviceScratch<T>& from, const OnDevice& on) {
    refuse_to_wait("a value that the host needs");
    T value;
    REEL_CUDA(cudaMemcpyAsync(&value, from.data(), sizeof(T), cudaMemcpyDeviceToHost, on.stream()));
    REEL_CUDA(cudaStreamSynchronize(on.stream()));
    return value;
}

} // namespace reel::cuda
