// Memory of the device for the length of a test, and what lies there.
#pragma once

#include <cuda_runtime.h>

#include <vector>

namespace on_device {

/// `n` elements, freed at the end of the scope.
template <class T> class Array {
public:
    explicit Array(std::size_t n) : size_(n) {
        void* p = nullptr;
        cudaMalloc(&p, n * sizeof(T));
        data_ = static_cast<T*>(p);
    }
    explicit Array(const std::vector<T>& values) : Array(values.size()) {
        cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice);
    }
    ~Array() { cudaFree(data_); }
    Array(const Array&) = delete;
    T* data() const { return data_; }
    std::vector<T> values() const {
        std::vector<T> v(size_);
        cudaMemcpy(v.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost);
        return v;
    }

private:
    T* data_ = nullptr;
    std::size_t size_;
};

} // namespace on_device
