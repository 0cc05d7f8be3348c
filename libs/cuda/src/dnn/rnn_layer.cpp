#include "dnn/rnn_layer.hpp"

#include <algorithm>
#include <limits>

#include <reel/autograd/context.hpp>
#include <reel/autograd/ops/convert/copy.hpp>
#include <reel/autograd/ops/shape/strided.hpp>
#include <reel/autograd/tensor_factory.hpp>

#include "dnn/graph.hpp"

namespace reel::cuda::dnn {

namespace {

template <class D> D made(const char* op, cudnnStatus_t (*create)(D*), const char* call) {
    D raw = nullptr;
    check(create(&raw), op, call);
    return raw;
}
cudnnRNNMode_t mode_of(RnnCell c) {
    switch (c) {
    case RnnCell::tanh:
        return CUDNN_RNN_TANH;
    case RnnCell::relu:
        return CUDNN_RNN_RELU;
    case RnnCell::lstm:
        return CUDNN_LSTM;
    default:
        return CUDNN_GRU;
    }
}
/// Step t has batch_sizes[t] rows, never more than the step before: sequence b goes on while there are more than b.
std::vector<int> lengths_of(const RnnPlan& p) {
    std::vector<int> lengths(std::size_t(p.batch()), 0);
    for (const std::int64_t rows : p.batch_sizes)
        for (std::int64_t b = 0; b < rows; ++b) ++lengths[std::size_t(b)];
    return lengths;
}
bool fits(std::initializer_list<std::int64_t> sizes) {
    for (const std::int64_t n : sizes)
        if (n <= 0 || n > std::numeric_limits<std::int32_t>::max()) return false;
    return true;
}

} // namespace

RnnLayer::RnnLayer(const char* op, const RnnPlan& p, const RnnOperands& v)
    : op_(op), plan_(p), where_(v.x), has_bias_(v.b_ih.defined() || v.b_hh.defined()), in_(v.w_ih.size(1)),
      handle_(dnn::handle(op, v.x.device().index())),
      rnn_(made(op, api()->cudnnCreateRNNDescriptor, "cudnnCreateRNNDescriptor")),
      inputs_(made(op, api()->cudnnCreateRNNDataDescriptor, "cudnnCreateRNNDataDescriptor")),
      outputs_(made(op, api()->cudnnCreateRNNDataDescriptor, "cudnnCreateRNNDataDescriptor")),
      states_(made(op, api()->cudnnCreateTensorDescriptor, "cudnnCreateTensorDescriptor")),
      cells_(made(op, api()->cudnnCreateTensorDescriptor, "cudnnCreateTensorDescriptor")) {}

std::optional<RnnLayer> RnnLayer::of(const char* op, const RnnPlan& p, const RnnOperands& v) {
    if (!fits({p.hidden, p.out, v.w_ih.size(1), p.batch(), std::int64_t(p.batch_sizes.size())})) return std::nullopt;
    RnnLayer layer(op, p, v);
    if (!layer.set()) return std::nullopt;
    return layer;
}

bool RnnLayer::set() {
    const RnnPlan& p = plan_;
    const cudnnDataType_t t = data_type(p.dtype);
    const cudnnMathType_t math =
        p.dtype == kFloat && !globalContext().allowTF32CuDNN() ? CUDNN_FMA_MATH : CUDNN_DEFAULT_MATH;
    const cudnnStatus_t status = api()->cudnnSetRNNDescriptor_v8(
        rnn_.get(), CUDNN_RNN_ALGO_STANDARD, mode_of(p.cell), has_bias_ ? CUDNN_RNN_DOUBLE_BIAS : CUDNN_RNN_NO_BIAS,
        CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT, t, t, math, std::int32_t(in_), std::int32_t(p.hidden),
        std::int32_t(p.out), 1, nullptr, CUDNN_RNN_PADDED_IO_DISABLED);
    if (CUDNN_STATUS_CATEGORY(status) == CUDNN_STATUS_NOT_SUPPORTED) return false;
    check(status, op_, "cudnnSetRNNDescriptor_v8");
    const std::vector<int> lengths = lengths_of(p);
    const auto rows = [&](const RowsDescriptor& d, std::int64_t width) {
        check(api()->cudnnSetRNNDataDescriptor(d.get(), t, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED,
                                               int(p.batch_sizes.size()), int(p.batch()), int(width), lengths.data(),
                                               nullptr),
              op_, "cudnnSetRNNDataDescriptor");
    };
    rows(inputs_, in_);
    rows(outputs_, p.out);
    const auto states = [&](const TensorDescriptor& d, std::int64_t width) {
        const int sizes[]{1, int(p.batch()), int(width)}, strides[]{int(p.batch() * width), int(width), 1};
        check(api()->cudnnSetTensorNdDescriptor(d.get(), t, 3, sizes, strides), op_, "cudnnSetTensorNdDescriptor");
    };
    states(states_, p.out);
    states(cells_, p.hidden);
    // equal ones are made there: nothing is sent, which a capture would not allow
    lengths_ = lengths.front() == lengths.back()
                   ? where_.new_full({p.batch()}, Scalar(std::int64_t(lengths.front())), kInt)
                   : reel::tensor(lengths, TensorOptions(kInt)).to(where_.device());
    return true;
}

std::size_t RnnLayer::weight_bytes() const {
    std::size_t bytes = 0;
    check(api()->cudnnGetRNNWeightSpaceSize(handle_, rnn_.get(), &bytes), op_, "cudnnGetRNNWeightSpaceSize");
    const std::size_t each = elementSize(plan_.dtype);
    return (bytes + each - 1) / each * each;
}
Tensor RnnLayer::weight_memory() const {
    const std::int64_t count = std::int64_t(weight_bytes() / elementSize(plan_.dtype));
    return where_.new_zeros({count});
}
Tensor RnnLayer::memory_of(const std::array<Tensor, 5>& weights, const std::vector<Stretch>& stretches) const {
    const std::int64_t each = std::int64_t(elementSize(plan_.dtype)), bytes = std::int64_t(weight_bytes());
    const auto at = [&](const Stretch& s) {
        return static_cast<const std::byte*>(weights[s.operand].data_ptr()) + s.from * each;
    };
    const Tensor& first = weights[stretches.front().operand];
    const auto* const storage = static_cast<const std::byte*>(first.storage()->data());
    const std::byte* const begin = at(stretches.front()) - stretches.front().place * each;
    if (begin < storage || begin + bytes > storage + first.storage()->nbytes()) return {};
    for (const Stretch& s : stretches)
        if (at(s) != begin + s.place * each) return {};
    return as_strided(first.detach(), {bytes / each}, {1}, (begin - storage) / each);
}

std::optional<std::vector<Stretch>> RnnLayer::stretches(const void* start) const {
    const std::size_t bytes = weight_bytes();
    const TensorDescriptor matrix(made(op_, api()->cudnnCreateTensorDescriptor, "cudnnCreateTensorDescriptor")),
        bias(made(op_, api()->cudnnCreateTensorDescriptor, "cudnnCreateTensorDescriptor"));
    const std::int64_t each = std::int64_t(elementSize(plan_.dtype)), gates = rnn_gates(plan_.cell), h = plan_.hidden;
    const auto* const begin = static_cast<const std::byte*>(start);
    std::vector<Stretch> all;
    bool same = true;
    const auto add = [&](std::size_t operand, std::int64_t from, std::int64_t count, const void* at,
                         const TensorDescriptor& d) {
        int sizes[3]{}, strides[3]{}, rank = 0;
        cudnnDataType_t type{};
        check(api()->cudnnGetTensorNdDescriptor(d.get(), 3, &type, &rank, sizes, strides), op_,
              "cudnnGetTensorNdDescriptor");
        same = same && at && rank == 3 && std::int64_t(sizes[0]) * sizes[1] * sizes[2] == count;
        if (same) all.push_back({operand, from, count, (static_cast<const std::byte*>(at) - begin) / each});
    };
    const auto part = [&](std::int64_t id, std::size_t operand, std::int64_t gate, std::int64_t rows,
                          std::int64_t columns, std::size_t bias_operand) {
        void *m = nullptr, *b = nullptr;
        check(api()->cudnnGetRNNWeightParams(handle_, rnn_.get(), 0, bytes, begin, std::int32_t(id), matrix.get(), &m,
                                             bias.get(), &b),
              op_, "cudnnGetRNNWeightParams");
        add(operand, gate * rows * columns, rows * columns, m, matrix);
        if (has_bias_ && bias_operand != 0) add(bias_operand, gate * rows, rows, b, bias);
    };
    for (std::int64_t g = 0; g < gates; ++g) part(g, 0, g, h, in_, 2);
    for (std::int64_t g = 0; g < gates; ++g) part(gates + g, 1, g, h, plan_.out, 3);
    if (plan_.out != h) part(2 * gates, 4, 0, plan_.out, h, 0);
    if (!same) return std::nullopt;
    std::sort(all.begin(), all.end(), [](const Stretch& a, const Stretch& b) {
        return a.operand != b.operand ? a.operand < b.operand : a.from < b.from;
    });
    std::vector<Stretch> joined;
    for (const Stretch& s : all)
        if (!joined.empty() && joined.back().operand == s.operand &&
            joined.back().from + joined.back().count == s.from && joined.back().place + joined.back().count == s.place)
            joined.back().count += s.count;
        else joined.push_back(s);
    return joined;
}

RnnLayer::Room RnnLayer::room(cudnnForwardMode_t mode) const {
    Room r;
    check(api()->cudnnGetRNNTempSpaceSizes(handle_, rnn_.get(), mode, inputs_.get(), &r.work, &r.kept), op_,
          "cudnnGetRNNTempSpaceSizes");
    return r;
}

} // namespace reel::cuda::dnn
