// Tensors as bytes one behind the other, whatever their strides and wherever they live.
#pragma once

#include <cstddef>
#include <vector>

#include <reel/autograd/tensor.hpp>

namespace reel::distributed::detail {

/// The elements of a tensor in order, in memory of the host: its own where it is contiguous there, else a copy.
class Operand {
public:
    Operand() = default;
    explicit Operand(const Tensor& tensor, bool read = true);
    std::byte* bytes() const { return bytes_; }
    std::size_t size() const { return size_; }
    std::int64_t numel() const { return tensor_.numel(); }
    /// Afterwards the tensor has the bytes' values; for tensors that were written.
    void write_back() const;
    /// The bytes become `from`, and the tensor gets them.
    void assign(const void* from) const;

private:
    Tensor tensor_, contiguous_;
    std::byte* bytes_ = nullptr;
    std::size_t size_ = 0;
    bool direct_ = true;
};

/// ValueError in the name of `what` for tensors that messages cannot carry: undefined, on meta, sparse.
void check_operand(const char* what, const char* argument, const Tensor& tensor);
/// The same, and for such that cannot be written: elements that share memory.
void check_written(const char* what, const char* argument, const Tensor& tensor);

} // namespace reel::distributed::detail
