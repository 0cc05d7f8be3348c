// Element access by indices for tensors whose type and rank are known at compile time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace reel {

/// Borrowed access to an N-dimensional tensor; `a[i][j]` is an element reference. No bounds checks.
template <class T, std::size_t N> class TensorAccessor {
public:
    TensorAccessor(T* data, const std::int64_t* sizes, const std::int64_t* strides)
        : data_(data), sizes_(sizes), strides_(strides) {}
    std::int64_t size(std::size_t d) const { return sizes_[d]; }
    std::int64_t stride(std::size_t d) const { return strides_[d]; }
    T* data() const { return data_; }
    decltype(auto) operator[](std::int64_t i) const {
        if constexpr (N == 1) return (data_[i * strides_[0]]);
        else return TensorAccessor<T, N - 1>(data_ + i * strides_[0], sizes_ + 1, strides_ + 1);
    }

private:
    T* data_;
    const std::int64_t *sizes_, *strides_;
};

} // namespace reel
