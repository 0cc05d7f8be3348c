// A recurrent layer as cuDNN's functions for recurrence want it described.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include <reel/autograd/kernels/rnn.hpp>

#include "dnn/api.hpp"

namespace reel::cuda::dnn {

/// A descriptor of cuDNN's older interface, destroyed with its owner.
template <class D, cudnnStatus_t (*Api::*destroy)(D)> class Owned {
public:
    explicit Owned(D raw) : raw_(raw) {}
    D get() const { return raw_.get(); }

private:
    struct Destroy {
        void operator()(D raw) const { (api()->*destroy)(raw); }
    };
    std::unique_ptr<std::remove_pointer_t<D>, Destroy> raw_;
};
using TensorDescriptor = Owned<cudnnTensorDescriptor_t, &Api::cudnnDestroyTensorDescriptor>;
using RnnDescriptor = Owned<cudnnRNNDescriptor_t, &Api::cudnnDestroyRNNDescriptor>;
using RowsDescriptor = Owned<cudnnRNNDataDescriptor_t, &Api::cudnnDestroyRNNDataDescriptor>;

/// Elements of a weight or bias that lie together in cuDNN's memory of weights.
struct Stretch {
    std::size_t operand; ///< w_ih, w_hh, b_ih, b_hh, w_hr
    std::int64_t from, count, place;
};

class RnnLayer {
public:
    /// Nothing where cuDNN does not have the layer.
    static std::optional<RnnLayer> of(const char* op, const RnnPlan& p, const RnnOperands& v);

    cudnnHandle_t handle() const { return handle_; }
    cudnnRNNDescriptor_t rnn() const { return rnn_.get(); }
    cudnnRNNDataDescriptor_t inputs() const { return inputs_.get(); }
    cudnnRNNDataDescriptor_t outputs() const { return outputs_.get(); }
    cudnnTensorDescriptor_t states() const { return states_.get(); }
    cudnnTensorDescriptor_t cells() const { return cells_.get(); }
    /// Lengths of the sequences, int32 on the device.
    const std::int32_t* lengths() const { return static_cast<const std::int32_t*>(lengths_.data_ptr()); }

    /// Memory for weights, or their gradients, of the layer's dtype, filled with zeros.
    Tensor weight_memory() const;
    /// Where each part of the weights lies in memory that begins at `begin`, operand by operand in its order,
    /// neighbours in one. Nothing where cuDNN's matrices are not those of the layer.
    std::optional<std::vector<Stretch>> stretches(const void* begin) const;
    /// The memory for weights, as a row, that these weights lie in already; undefined where they do not.
    Tensor memory_of(const std::array<Tensor, 5>& weights, const std::vector<Stretch>& stretches) const;
    /// Bytes of working memory, and of what is kept for the way back.
    struct Room {
        std::size_t work = 0, kept = 0;
    };
    Room room(cudnnForwardMode_t mode) const;

private:
    RnnLayer(const char* op, const RnnPlan& p, const RnnOperands& v);
    bool set();
    std::size_t weight_bytes() const;

    const char* op_;
    const RnnPlan& plan_;
    const Tensor& where_;
    bool has_bias_;
    std::int64_t in_;
    cudnnHandle_t handle_;
    RnnDescriptor rnn_;
    RowsDescriptor inputs_, outputs_;
    TensorDescriptor states_, cells_;
    Tensor lengths_;
};

} // namespace reel::cuda::dnn
