// The outer product of two vectors as the contents of a storage: what the gradient of a weight is after one example.
#pragma once

#include <vector>

#include <reel/autograd/detail/deferred_contents.hpp>
#include <reel/autograd/tensor.hpp>

namespace reel::detail {

/// Element (i, j), row by row, is left[i] * right[j] + base. Has copies of both vectors.
class OuterProduct final : public DeferredContents {
public:
    /// Of a column [rows, 1] and a row [1, columns] of one dtype, float32 or float64, on the CPU, with any strides.
    /// `base`: -0, which changes nothing, or +0, which makes +0 of -0 as a sum that begins with it does.
    OuterProduct(const Tensor& left, const Tensor& right, double base);

    ScalarType dtype() const { return dtype_; }
    std::int64_t rows() const { return rows_; }
    std::int64_t columns() const { return columns_; }
    const char* left() const { return numbers_.data(); }
    const char* right() const { return numbers_.data() + right_at_; }
    double base() const { return base_; }
    void write(char* into) const override;

private:
    ScalarType dtype_;
    std::int64_t rows_, columns_;
    double base_;
    std::size_t right_at_;
    std::vector<char> numbers_;
};

} // namespace reel::detail
