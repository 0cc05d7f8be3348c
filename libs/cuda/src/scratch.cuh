// Memory that a kernel's function needs for itself: until the stream has passed what was queued.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include <reel/autograd/ops/factory/factories.hpp>

#include "elements.cuh"

namespace reel::cuda {

/// Room for `count` of T where `like` lives.
template <class T> class DeviceScratch {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    DeviceScratch(std::int64_t count, const Tensor& like)
        : bytes_(reel::empty({count * std::int64_t(sizeof(T))}, TensorOptions().dtype(kByte).device(like.device()))) {}
    T* data() const { return reinterpret_cast<T*>(bytes_.data_ptr()); }

private:
    Tensor bytes_;
};

/// A table of the host's, there. Its device must be current.
template <class T> class DeviceTable : public DeviceScratch<T> {
public:
    DeviceTable(const std::vector<T>& table, const Tensor& like, const OnDevice& on)
        : DeviceScratch<T>(std::int64_t(table.size()), like) {
        // from pageable memory: returns when the host's side has been read
        if (!table.empty())
            REEL_CUDA(cudaMemcpyAsync(this->data(), table.data(), table.size() * sizeof(T), cudaMemcpyHostToDevice,
                                      on.stream()));
    }
};

/// One value from there, when the stream has come so far.
template <class T> T on_host(const DeviceScratch<T>& from, const OnDevice& on) {
    T value;
    REEL_CUDA(cudaMemcpyAsync(&value, from.data(), sizeof(T), cudaMemcpyDeviceToHost, on.stream()));
    REEL_CUDA(cudaStreamSynchronize(on.stream()));
    return value;
}

} // namespace reel::cuda
