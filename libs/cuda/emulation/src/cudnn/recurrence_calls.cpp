// The functions for recurrence at work: what they are handed is checked when they are called, and computed when the
// stream comes to it.
#include <cstring>

#include "../fault.hpp"
#include "../memory.hpp"
#include "../runtime.hpp"
#include "cudnn/recurrence.hpp"

namespace reel::cuda::emulation::dnn {

namespace {

cudnnStatus_t bad(const std::string& reason) { return refuse(CUDNN_STATUS_BAD_PARAM, reason); }

struct Operand {
    const char* name;
    const void* data;
    std::size_t bytes;
    bool is_result, must;
};
/// Is everything there, and no result over anything else?
cudnnStatus_t check_memory(const std::vector<Operand>& all) {
    for (const Operand& o : all) {
        if (!o.data && !o.must) continue;
        if (!o.data || !is_held(o.data, o.bytes))
            return bad(std::string(o.name) + " is not held by live memory of the device");
    }
    const auto begin = [](const Operand& o) { return static_cast<const std::byte*>(o.data); };
    for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t j = 0; j < all.size(); ++j)
            if (i != j && all[i].is_result && all[i].data && all[j].data &&
                begin(all[i]) < begin(all[j]) + all[j].bytes && begin(all[j]) < begin(all[i]) + all[i].bytes)
                return bad(std::string(all[i].name) + " lies over " + all[j].name);
    return CUDNN_STATUS_SUCCESS;
}

/// A call's descriptors, which must fit each other.
struct Call {
    Stream* stream = nullptr;
    Recurring r{};
    std::size_t weights = 0, work = 0, kept = 0, states = 0, cells = 0, inputs = 0, outputs = 0;

    cudnnStatus_t take(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, cudnnForwardMode_t mode,
                       cudnnRNNDataDescriptor_t x, cudnnRNNDataDescriptor_t y, cudnnTensorDescriptor_t h,
                       cudnnTensorDescriptor_t c) {
        if (!is_handle(handle)) return bad("not a handle of this device");
        stream = stream_of(stream_of_handle(handle));
        if (!stream) return refuse(CUDNN_STATUS_BAD_PARAM_STREAM_MISMATCH, "not a stream of this device");
        const Recurrence* const l = find(rnn);
        const Rows *const in = find(x), *const out = find(y);
        const Sized* const state = find(h);
        if (!l || !l->set || !in || !in->set || !out || !out->set || !state || !state->set)
            return refuse(CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED, "a descriptor that is not set");
        if (in->type != l->type || out->type != l->type || state->type != l->type) return bad("several types");
        if (in->width != l->in || out->width != l->out || in->lengths != out->lengths)
            return refuse(CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH, "rows that are not the layer's");
        const auto is = [&](const Sized& s, int width) {
            return s.sizes == std::array<int, 3>{1, in->batch(), width} &&
                   s.strides == std::array<int, 3>{in->batch() * width, width, 1};
        };
        const Sized* const cell = find(c);
        if (!is(*state, l->out) || (l->cell == CUDNN_LSTM && mode == CUDNN_FWD_MODE_TRAINING &&
                                    (!cell || !cell->set || !is(*cell, l->hidden))))
            return refuse(CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH, "states that are not the layer's");
        const std::size_t each = size_of(l->type), batch = std::size_t(in->batch());
        r.layer = *l;
        r.rows = *in;
        weights = std::size_t(l->weights()) * each;
        inputs = in->bytes();
        outputs = out->bytes();
        states = batch * std::size_t(l->out) * each;
        cells = batch * std::size_t(l->hidden) * each;
        return cudnnGetRNNTempSpaceSizes(handle, rnn, mode, x, &work, &kept);
    }
    bool lstm() const { return r.layer.cell == CUDNN_LSTM; }
};

void check_lengths(const Recurring& r, const std::int32_t* lengths) {
    for (std::size_t b = 0; b < r.rows.lengths.size(); ++b)
        if (lengths[b] != r.rows.lengths[b]) fault("cuDNN: the lengths on the device are not those of the descriptor");
}
/// What is kept goes from one call to the next.
void advance(std::byte* kept, Stage from, Stage to, const char* call) {
    Stage now{};
    std::memcpy(&now, kept, sizeof(now));
    if (from != Stage::none && now != from)
        fault(std::string("cuDNN: ") + call + " works with memory that another call has to fill before");
    std::memcpy(kept, &to, sizeof(to));
}

} // namespace

} // namespace reel::cuda::emulation::dnn

using namespace reel::cuda::emulation;
using namespace reel::cuda::emulation::dnn;

extern "C" {

cudnnStatus_t cudnnRNNForward(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, cudnnForwardMode_t mode,
                              const std::int32_t lengths[], cudnnRNNDataDescriptor_t x_rows, const void* x,
                              cudnnRNNDataDescriptor_t y_rows, void* y, cudnnTensorDescriptor_t h, const void* hx,
                              void* hy, cudnnTensorDescriptor_t c, const void* cx, void* cy, std::size_t weight_bytes,
                              const void* weights, std::size_t work_bytes, void* work, std::size_t kept_bytes,
                              void* kept) {
    if (this_call_fails()) return refuse(CUDNN_STATUS_EXECUTION_FAILED, "the kernel could not be launched");
    const std::lock_guard guard(runtime_lock());
    Call call;
    if (const cudnnStatus_t status = call.take(handle, rnn, mode, x_rows, y_rows, h, c)) return status;
    if (weight_bytes < call.weights || work_bytes < call.work || kept_bytes < call.kept)
        return bad("less memory than the library asked for");
    const bool lstm = call.lstm(), keeps = mode == CUDNN_FWD_MODE_TRAINING;
    if (const cudnnStatus_t status =
            check_memory({{"the lengths", lengths, call.r.rows.lengths.size() * sizeof(std::int32_t), false, true},
                          {"x", x, call.inputs, false, true},
                          {"y", y, call.outputs, true, true},
                          {"hx", hx, call.states, false, true},
                          {"hy", hy, call.states, true, false},
                          {"cx", lstm ? cx : nullptr, call.cells, false, lstm},
                          {"cy", lstm ? cy : nullptr, call.cells, true, false},
                          {"the weights", weights, call.weights, false, true},
                          {"the workspace", work, call.work, true, true},
                          {"the reserve space", keeps ? kept : nullptr, call.kept, true, keeps}}))
        return status;
    Recurring r = call.r;
    r.x = const_cast<void*>(x), r.y = y, r.h0 = const_cast<void*>(hx), r.hn = hy;
    r.c0 = const_cast<void*>(cx), r.cn = lstm ? cy : nullptr, r.weights = const_cast<void*>(weights);
    r.kept = keeps ? static_cast<std::byte*>(kept) : nullptr;
    note_plan(keeps ? "rnn_forward" : "rnn_inference");
    enqueue(*call.stream, [=, device = call.stream->device, bytes = call.work] {
        const DeviceWork running(device, "cudnnRNNForward");
        check_lengths(r, lengths);
        std::memset(work, 0xa5, bytes); // nobody may count on it
        recur(r);
        if (r.kept) advance(r.kept, Stage::none, Stage::forward, "cudnnRNNForward");
    });
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnRNNBackwardData_v8(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, const std::int32_t lengths[],
                                      cudnnRNNDataDescriptor_t y_rows, const void* y, const void* dy,
                                      cudnnRNNDataDescriptor_t x_rows, void* dx, cudnnTensorDescriptor_t h,
                                      const void* hx, const void* dhy, void* dhx, cudnnTensorDescriptor_t c,
                                      const void* cx, const void* dcy, void* dcx, std::size_t weight_bytes,
                                      const void* weights, std::size_t work_bytes, void* work, std::size_t kept_bytes,
                                      void* kept) {
    if (this_call_fails()) return refuse(CUDNN_STATUS_EXECUTION_FAILED, "the kernel could not be launched");
    const std::lock_guard guard(runtime_lock());
    Call call;
    if (const cudnnStatus_t status = call.take(handle, rnn, CUDNN_FWD_MODE_TRAINING, x_rows, y_rows, h, c))
        return status;
    if (weight_bytes < call.weights || work_bytes < call.work || kept_bytes < call.kept)
        return bad("less memory than the library asked for");
    const bool lstm = call.lstm();
    if (const cudnnStatus_t status =
            check_memory({{"the lengths", lengths, call.r.rows.lengths.size() * sizeof(std::int32_t), false, true},
                          {"y", y, call.outputs, false, true},
                          {"dy", dy, call.outputs, false, true},
                          {"dx", dx, call.inputs, true, true},
                          {"hx", hx, call.states, false, true},
                          {"dhy", dhy, call.states, false, true},
                          {"dhx", dhx, call.states, true, false},
                          {"cx", lstm ? cx : nullptr, call.cells, false, lstm},
                          {"dcy", lstm ? dcy : nullptr, call.cells, false, lstm},
                          {"dcx", lstm ? dcx : nullptr, call.cells, true, false},
                          {"the weights", weights, call.weights, false, true},
                          {"the workspace", work, call.work, true, true},
                          {"the reserve space", kept, call.kept, true, true}}))
        return status;
    Recurring r = call.r;
    r.y = const_cast<void*>(y), r.gy = const_cast<void*>(dy), r.gx = dx, r.h0 = const_cast<void*>(hx);
    r.ghn = const_cast<void*>(dhy), r.gh0 = dhx, r.c0 = const_cast<void*>(cx), r.gcn = const_cast<void*>(dcy);
    r.gc0 = dcx, r.weights = const_cast<void*>(weights), r.kept = static_cast<std::byte*>(kept);
    note_plan("rnn_backward_data");
    enqueue(*call.stream, [=, device = call.stream->device, bytes = call.work] {
        const DeviceWork running(device, "cudnnRNNBackwardData_v8");
        check_lengths(r, lengths);
        advance(r.kept, Stage::forward, Stage::data, "cudnnRNNBackwardData_v8");
        std::memset(work, 0xa5, bytes);
        recur_back(r);
    });
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnRNNBackwardWeights_v8(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, cudnnWgradMode_t mode,
                                         const std::int32_t lengths[], cudnnRNNDataDescriptor_t x_rows, const void* x,
                                         cudnnTensorDescriptor_t h, const void* hx, cudnnRNNDataDescriptor_t y_rows,
                                         const void* y, std::size_t weight_bytes, void* dweights,
                                         std::size_t work_bytes, void* work, std::size_t kept_bytes, void* kept) {
    if (this_call_fails()) return refuse(CUDNN_STATUS_EXECUTION_FAILED, "the kernel could not be launched");
    const std::lock_guard guard(runtime_lock());
    if (mode != CUDNN_WGRAD_MODE_ADD) return refuse(CUDNN_STATUS_NOT_SUPPORTED, "gradients of weights are added");
    Call call;
    const cudnnStatus_t taken = call.take(handle, rnn, CUDNN_FWD_MODE_INFERENCE, x_rows, y_rows, h, nullptr);
    if (taken) return taken;
    const std::size_t wanted = stage_bytes + std::size_t(call.r.rows.count() * call.r.layer.kept_per_row()) * 8;
    if (weight_bytes < call.weights || work_bytes < call.work || kept_bytes < wanted)
        return bad("less memory than the library asked for");
    if (const cudnnStatus_t status =
            check_memory({{"the lengths", lengths, call.r.rows.lengths.size() * sizeof(std::int32_t), false, true},
                          {"x", x, call.inputs, false, true},
                          {"hx", hx, call.states, false, true},
                          {"y", y, call.outputs, false, true},
                          {"the gradients of weights", dweights, call.weights, true, true},
                          {"the workspace", work, call.work, true, true},
                          {"the reserve space", kept, wanted, true, true}}))
        return status;
    Recurring r = call.r;
    r.x = const_cast<void*>(x), r.h0 = const_cast<void*>(hx), r.y = const_cast<void*>(y), r.gweights = dweights;
    r.kept = static_cast<std::byte*>(kept);
    note_plan("rnn_backward_weights");
    enqueue(*call.stream, [=, device = call.stream->device, bytes = call.work] {
        const DeviceWork running(device, "cudnnRNNBackwardWeights_v8");
        check_lengths(r, lengths);
        advance(r.kept, Stage::data, Stage::data, "cudnnRNNBackwardWeights_v8");
        std::memset(work, 0xa5, bytes);
        recur_back_to_weights(r);
    });
    return CUDNN_STATUS_SUCCESS;
}

} // extern "C"
