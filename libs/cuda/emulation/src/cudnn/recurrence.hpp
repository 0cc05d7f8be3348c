// Recurrent layers of the stand-in: one layer in one direction.
#pragma once

#include <array>
#include <vector>

#include "cudnn/tensor.hpp"

namespace reel::cuda::emulation::dnn {

/// The older interface's tensors, of three dimensions.
struct Sized {
    bool set = false;
    cudnnDataType_t type{};
    std::array<int, 3> sizes{}, strides{};
};
struct Rows {
    bool set = false;
    cudnnDataType_t type{};
    std::vector<int> lengths; ///< falling
    int steps = 0, width = 0;
    int batch() const { return int(lengths.size()); }
    std::int64_t count() const;
    /// Sequences that have not ended before step `t`.
    int at_step(int t) const;
    std::size_t bytes() const { return std::size_t(count() * width) * size_of(type); }
};
struct Recurrence {
    bool set = false;
    cudnnRNNMode_t cell{};
    cudnnRNNBiasMode_t bias{};
    cudnnDataType_t type{};
    cudnnMathType_t math{};
    int in = 0, hidden = 0, out = 0;

    int gates() const { return cell == CUDNN_LSTM ? 4 : cell == CUDNN_GRU ? 3 : 1; }
    bool projects() const { return out != hidden; }
    bool rounds() const { return type == CUDNN_DATA_FLOAT && math == CUDNN_DEFAULT_MATH; }
    /// Places in the memory of weights, counted in elements; -1 for what the layer does not have. `id` as in
    /// cudnnGetRNNWeightParams.
    struct Part {
        std::int64_t matrix = -1, rows = 0, columns = 0, bias = -1;
    };
    Part part(int id) const;
    std::int64_t weights() const;

    /// What is kept of each row, float64: activated gates, the cell (gru: the state's part of n), the output before its
    /// projection; then gradients of both sums of the gates, and of the output.
    std::int64_t kept_per_row() const { return 3 * gates() * hidden + 2 * hidden + out; }
};
Recurrence* find(cudnnRNNDescriptor_t d);
Rows* find(cudnnRNNDataDescriptor_t d);
Sized* find(cudnnTensorDescriptor_t d);

/// A call's operands where they lie; null for what it does not have.
struct Recurring {
    Recurrence layer;
    Rows rows; ///< of inputs
    void *x, *y, *h0, *c0, *hn, *cn, *weights;
    void *gy, *ghn, *gcn, *gx, *gh0, *gc0, *gweights;
    std::byte* kept; ///< null in inference
};
void recur(const Recurring& r);
void recur_back(const Recurring& r);
void recur_back_to_weights(const Recurring& r);

/// How far the memory that is kept has come; it stands at its beginning.
enum class Stage : std::int64_t { none, forward = 0x5eed01, data = 0x5eed02 };
inline constexpr std::size_t stage_bytes = 64;

} // namespace reel::cuda::emulation::dnn
