// What an op asks of cuDNN: tensors and operations as a value, which is its own key in the cache of plans.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <type_traits>
#include <vector>

#include <reel/autograd/tensor.hpp>

#include "dnn/api.hpp"

namespace reel::cuda::dnn {

/// A descriptor within a graph, by its place there.
enum class Part : std::int64_t {};

/// One attribute of a descriptor.
struct Attribute {
    static constexpr std::size_t most = CUDNN_DIM_MAX;
    cudnnBackendAttributeName_t name;
    cudnnBackendAttributeType_t type;
    std::size_t count = 1;
    std::array<std::int64_t, most> values{};

    template <class T>
    Attribute(cudnnBackendAttributeName_t name, T value) : name(name), type(type_of<T>()), values{as_word(value)} {}
    Attribute(cudnnBackendAttributeName_t name, std::span<const std::int64_t> list)
        : name(name), type(CUDNN_TYPE_INT64), count(list.size()) {
        std::copy(list.begin(), list.end(), values.begin());
    }

private:
    template <class T> static consteval cudnnBackendAttributeType_t type_of();
    template <class T> static std::int64_t as_word(T v) {
        if constexpr (std::is_same_v<T, double>) return std::bit_cast<std::int64_t>(v);
        else return std::int64_t(v);
    }
};

/// An op's graph for operands at hand. Its parts are what cuDNN's documentation of the graph interface calls backend
/// descriptors; `run` builds them when no call of the same shapes, dtypes, alignments and switches has before.
class Graph {
public:
    /// For tensors on the device of `where`. `op` is what errors name.
    Graph(const char* op, const Tensor& where);

    /// The tensor, dense, seen with other sizes. Undefined tensors are no part of a graph.
    Part dense(const Tensor& t, std::span<const std::int64_t> sizes);
    /// The tensor with its own sizes and strides, which cuDNN shall see as `sizes` and `strides`.
    Part strided(const Tensor& t, std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides);
    /// What one operation of the graph hands to another, dense.
    Part between(cudnnDataType_t type, std::span<const std::int64_t> sizes);
    Part between(cudnnDataType_t type, std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides);
    /// A float32 given with the call, seen with `rank` sizes of one.
    Part number(float value, std::size_t rank);
    Part describe(cudnnBackendDescriptorType_t type, std::span<const Attribute> attributes);
    Part describe(cudnnBackendDescriptorType_t type, std::initializer_list<Attribute> attributes);
    void operation(cudnnBackendDescriptorType_t type, std::span<const Attribute> attributes);
    void operation(cudnnBackendDescriptorType_t type, std::initializer_list<Attribute> attributes);

    /// Queues the graph. False, with nothing done, where cuDNN has no plan for it. Throws Error naming the op.
    bool run() const;

    /// Calls `f(type, is an operation, attributes)` for each part; attributes by `each_attribute`.
    template <class F> void each_part(F f) const;
    struct Binding {
        std::int64_t id;
        void* data; ///< null: a number
        float number;
    };
    const std::vector<Binding>& bindings() const { return bindings_; }
    const std::vector<std::int64_t>& words() const { return words_; }
    const char* op() const { return op_; }
    DeviceIndex device() const { return device_; }

private:
    Part add(cudnnBackendDescriptorType_t type, bool is_operation, std::span<const Attribute> attributes);
    Part tensor(cudnnDataType_t type, std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides,
                std::int64_t alignment, Attribute kind);

    const char* op_;
    DeviceIndex device_;
    std::int64_t parts_ = 0;
    std::vector<std::int64_t> words_; ///< device and switches, then of each part its type, whether it is an operation,
                                      ///< how many attributes, and of each name, type, count and values
    std::vector<Binding> bindings_;
};

/// Words at the beginning of `Graph::words()`.
enum GraphWord : std::size_t { device_word, deterministic_word, tf32_word, first_part_word };

/// cuDNN's name for a dtype that it computes with.
cudnnDataType_t data_type(ScalarType t);
/// What cuDNN adds up in for operands of the dtype.
cudnnDataType_t compute_type(ScalarType t);

template <class F> void Graph::each_part(F f) const {
    const std::int64_t* at = words_.data() + first_part_word;
    const std::int64_t* const end = words_.data() + words_.size();
    std::vector<Attribute> attributes;
    while (at != end) {
        const auto type = cudnnBackendDescriptorType_t(at[0]);
        const bool is_operation = at[1] != 0;
        std::int64_t count = at[2];
        at += 3;
        attributes.clear();
        for (; count > 0; --count) {
            Attribute& a = attributes.emplace_back(cudnnBackendAttributeName_t(at[0]), std::int64_t(0));
            a.type = cudnnBackendAttributeType_t(at[1]);
            a.count = std::size_t(at[2]);
            std::copy(at + 3, at + 3 + a.count, a.values.begin());
            at += 3 + a.count;
        }
        f(type, is_operation, std::span<const Attribute>(attributes));
    }
}

template <class T> consteval cudnnBackendAttributeType_t Attribute::type_of() {
    if constexpr (std::is_same_v<T, std::int64_t>) return CUDNN_TYPE_INT64;
    else if constexpr (std::is_same_v<T, double>) return CUDNN_TYPE_DOUBLE;
    else if constexpr (std::is_same_v<T, bool>) return CUDNN_TYPE_BOOLEAN;
    else if constexpr (std::is_same_v<T, Part>) return CUDNN_TYPE_BACKEND_DESCRIPTOR;
    else if constexpr (std::is_same_v<T, cudnnDataType_t>) return CUDNN_TYPE_DATA_TYPE;
    else if constexpr (std::is_same_v<T, cudnnConvolutionMode_t>) return CUDNN_TYPE_CONVOLUTION_MODE;
    else if constexpr (std::is_same_v<T, cudnnPointwiseMode_t>) return CUDNN_TYPE_POINTWISE_MODE;
    else if constexpr (std::is_same_v<T, cudnnReduceTensorOp_t>) return CUDNN_TYPE_REDUCTION_OPERATOR_TYPE;
    else if constexpr (std::is_same_v<T, cudnnResampleMode_t>) return CUDNN_TYPE_RESAMPLE_MODE;
    else if constexpr (std::is_same_v<T, cudnnPaddingMode_t>) return CUDNN_TYPE_PADDING_MODE;
    else if constexpr (std::is_same_v<T, cudnnBackendNormMode_t>) return CUDNN_TYPE_NORM_MODE;
    else {
        static_assert(std::is_same_v<T, cudnnBackendNormFwdPhase_t>,
                      "a type of attribute that no graph has needed yet");
        return CUDNN_TYPE_NORM_FWD_PHASE;
    }
}

} // namespace reel::cuda::dnn
