#include "dnn/graph.hpp"

#include <reel/autograd/context.hpp>
#include <reel/autograd/error.hpp>
#include <reel/cuda/device.hpp>

#include "dnn/plan.hpp"

namespace reel::cuda::dnn {

namespace {

/// The greatest power of two up to 16 on which the data lies: what vector loads may count on.
std::int64_t alignment_of(const void* data) {
    const auto address = reinterpret_cast<std::uintptr_t>(data);
    std::int64_t a = 16;
    while (address % std::uintptr_t(a) != 0) a /= 2;
    return a;
}
struct DenseStrides {
    std::array<std::int64_t, Attribute::most> strides{};
    std::size_t rank;

    explicit DenseStrides(std::span<const std::int64_t> sizes) : rank(sizes.size()) {
        std::int64_t step = 1;
        for (std::size_t d = rank; d-- > 0; step *= sizes[d]) strides[d] = step;
    }
    operator std::span<const std::int64_t>() const { return std::span(strides).first(rank); }
};

} // namespace

cudnnDataType_t data_type(ScalarType t) {
    switch (t) {
    case kFloat:
        return CUDNN_DATA_FLOAT;
    case kDouble:
        return CUDNN_DATA_DOUBLE;
    case kHalf:
        return CUDNN_DATA_HALF;
    case kBFloat16:
        return CUDNN_DATA_BFLOAT16;
    default:
        REEL_THROW(Error, "cuDNN: ", dtype_name(t), " has no place in a graph; expected a floating dtype");
    }
}
cudnnDataType_t compute_type(ScalarType t) { return t == kDouble ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT; }

Graph::Graph(const char* op, const Tensor& where) : op_(op), device_(where.device().index()) {
    words_.reserve(256);
    words_ = {std::int64_t(device_), globalContext().deterministicCuDNN() || globalContext().deterministicAlgorithms(),
              globalContext().allowTF32CuDNN()};
}

Part Graph::add(cudnnBackendDescriptorType_t type, bool is_operation, std::span<const Attribute> attributes) {
    words_.insert(words_.end(), {std::int64_t(type), is_operation, std::int64_t(attributes.size())});
    for (const Attribute& a : attributes) {
        words_.insert(words_.end(), {std::int64_t(a.name), std::int64_t(a.type), std::int64_t(a.count)});
        words_.insert(words_.end(), a.values.begin(), a.values.begin() + std::ptrdiff_t(a.count));
    }
    return Part(parts_++);
}
Part Graph::describe(cudnnBackendDescriptorType_t type, std::span<const Attribute> attributes) {
    return add(type, false, attributes);
}
Part Graph::describe(cudnnBackendDescriptorType_t type, std::initializer_list<Attribute> attributes) {
    return add(type, false, {attributes.begin(), attributes.size()});
}
void Graph::operation(cudnnBackendDescriptorType_t type, std::span<const Attribute> attributes) {
    add(type, true, attributes);
}
void Graph::operation(cudnnBackendDescriptorType_t type, std::initializer_list<Attribute> attributes) {
    add(type, true, {attributes.begin(), attributes.size()});
}

/// Tensors are named by their place among the parts, from 1.
Part Graph::tensor(cudnnDataType_t type, std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides,
                   std::int64_t alignment, Attribute kind) {
    return describe(CUDNN_BACKEND_TENSOR_DESCRIPTOR, {{CUDNN_ATTR_TENSOR_DATA_TYPE, type},
                                                      {CUDNN_ATTR_TENSOR_DIMENSIONS, sizes},
                                                      {CUDNN_ATTR_TENSOR_STRIDES, strides},
                                                      {CUDNN_ATTR_TENSOR_UNIQUE_ID, parts_ + 1},
                                                      {CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, alignment},
                                                      kind});
}
Part Graph::strided(const Tensor& t, std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides) {
    bindings_.push_back({parts_ + 1, t.data_ptr(), 0});
    return tensor(data_type(t.scalar_type()), sizes, strides, alignment_of(t.data_ptr()),
                  {CUDNN_ATTR_TENSOR_IS_VIRTUAL, false});
}
Part Graph::dense(const Tensor& t, std::span<const std::int64_t> sizes) {
    return strided(t, sizes, DenseStrides(sizes));
}
Part Graph::between(cudnnDataType_t type, std::span<const std::int64_t> sizes) {
    return between(type, sizes, DenseStrides(sizes));
}
Part Graph::between(cudnnDataType_t type, std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides) {
    return tensor(type, sizes, strides, 16, {CUDNN_ATTR_TENSOR_IS_VIRTUAL, true});
}
Part Graph::number(float value, std::size_t rank) {
    bindings_.push_back({parts_ + 1, nullptr, value});
    const std::array<std::int64_t, Attribute::most> ones{1, 1, 1, 1, 1, 1, 1, 1};
    const auto sizes = std::span(ones).first(rank);
    return tensor(CUDNN_DATA_FLOAT, sizes, sizes, sizeof(float), {CUDNN_ATTR_TENSOR_IS_BY_VALUE, true});
}

bool Graph::run() const {
    const DeviceGuard guard(device_);
    const Plan* const plan = plan_of(*this);
    if (!plan) return false;
    plan->execute(*this);
    return true;
}

} // namespace reel::cuda::dnn
