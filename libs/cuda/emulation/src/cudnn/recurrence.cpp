// What the functions for recurrence are told: layers, rows and states.
#include "cudnn/recurrence.hpp"

#include <algorithm>
#include <map>

#include "../runtime.hpp"

namespace reel::cuda::emulation::dnn {

namespace {

template <class D, class Handle> std::map<Handle, D>& live() {
    static auto& all = *new std::map<Handle, D>();
    return all;
}
template <class D, class Handle> cudnnStatus_t create(Handle* handle) {
    if (this_call_fails()) return refuse(CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED, "out of memory");
    const std::lock_guard guard(runtime_lock());
    *handle = reinterpret_cast<Handle>(new char);
    live<D, Handle>()[*handle];
    return CUDNN_STATUS_SUCCESS;
}
template <class D, class Handle> cudnnStatus_t destroy(Handle handle) {
    const std::lock_guard guard(runtime_lock());
    if (live<D, Handle>().erase(handle) == 0) return refuse(CUDNN_STATUS_BAD_PARAM, "not a descriptor");
    delete reinterpret_cast<char*>(handle);
    return CUDNN_STATUS_SUCCESS;
}
template <class D, class Handle> D* found(Handle handle) {
    const auto at = live<D, Handle>().find(handle);
    return at == live<D, Handle>().end() ? nullptr : &at->second;
}
cudnnStatus_t bad(const char* reason) { return refuse(CUDNN_STATUS_BAD_PARAM, reason); }
/// Matrices begin on 16 bytes.
std::int64_t aligned(std::int64_t place, cudnnDataType_t t) {
    const auto step = std::int64_t(16 / size_of(t));
    return (place + step - 1) / step * step;
}

} // namespace

Recurrence* find(cudnnRNNDescriptor_t d) { return found<Recurrence>(d); }
Rows* find(cudnnRNNDataDescriptor_t d) { return found<Rows>(d); }
Sized* find(cudnnTensorDescriptor_t d) { return found<Sized>(d); }

std::int64_t Rows::count() const {
    std::int64_t n = 0;
    for (const int l : lengths) n += l;
    return n;
}
int Rows::at_step(int t) const {
    return int(std::count_if(lengths.begin(), lengths.end(), [t](int l) { return l > t; }));
}

/// Recurrent matrices first, then those of the input, the projection, and the biases in the same order.
Recurrence::Part Recurrence::part(int id) const {
    std::int64_t place = 0;
    Part wanted;
    const auto next = [&](int of, std::int64_t rows, std::int64_t columns) {
        if (of == id) wanted = {place, rows, columns};
        place = aligned(place + rows * columns, type);
    };
    for (int g = 0; g < gates(); ++g) next(gates() + g, hidden, out);
    for (int g = 0; g < gates(); ++g) next(g, hidden, in);
    if (projects()) next(2 * gates(), out, hidden);
    if (bias == CUDNN_RNN_NO_BIAS || id >= 2 * gates() || id < 0) return wanted;
    const int order = id >= gates() ? id - gates() : id + gates();
    wanted.bias = place + order * aligned(hidden, type);
    return wanted;
}
std::int64_t Recurrence::weights() const {
    Part last = part(projects() ? 2 * gates() : gates() - 1);
    const std::int64_t end = aligned(last.matrix + last.rows * last.columns, type);
    return end + (bias == CUDNN_RNN_NO_BIAS ? 0 : 2 * gates() * aligned(hidden, type));
}

} // namespace reel::cuda::emulation::dnn

using namespace reel::cuda::emulation;
using namespace reel::cuda::emulation::dnn;

extern "C" {

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* d) { return create<Sized>(d); }
cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t d) { return destroy<Sized>(d); }
cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t d, cudnnDataType_t type, int rank, const int sizes[],
                                         const int strides[]) {
    const std::lock_guard guard(runtime_lock());
    Sized* const t = find(d);
    if (!t) return bad("not a descriptor");
    if (rank != 3) return refuse(CUDNN_STATUS_NOT_SUPPORTED, "the stand-in's have three dimensions");
    for (int i = 0; i < rank; ++i)
        if (sizes[i] <= 0 || strides[i] <= 0) return bad("sizes or strides that are not positive");
    *t = {true, type, {sizes[0], sizes[1], sizes[2]}, {strides[0], strides[1], strides[2]}};
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetTensorNdDescriptor(const cudnnTensorDescriptor_t d, int room, cudnnDataType_t* type, int* rank,
                                         int sizes[], int strides[]) {
    const std::lock_guard guard(runtime_lock());
    const Sized* const t = find(d);
    if (!t) return bad("not a descriptor");
    *type = t->type;
    *rank = t->set ? 3 : 0;
    for (int i = 0; i < std::min(room, *rank); ++i) {
        sizes[i] = t->sizes[std::size_t(i)];
        strides[i] = t->strides[std::size_t(i)];
    }
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateRNNDescriptor(cudnnRNNDescriptor_t* d) { return create<Recurrence>(d); }
cudnnStatus_t cudnnDestroyRNNDescriptor(cudnnRNNDescriptor_t d) { return destroy<Recurrence>(d); }
cudnnStatus_t cudnnSetRNNDescriptor_v8(cudnnRNNDescriptor_t d, cudnnRNNAlgo_t algo, cudnnRNNMode_t cell,
                                       cudnnRNNBiasMode_t bias, cudnnDirectionMode_t direction,
                                       cudnnRNNInputMode_t input, cudnnDataType_t type, cudnnDataType_t compute,
                                       cudnnMathType_t math, std::int32_t in, std::int32_t hidden, std::int32_t out,
                                       std::int32_t layers, cudnnDropoutDescriptor_t dropout, std::uint32_t flags) {
    if (this_call_fails()) return refuse(CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED, "out of memory");
    const std::lock_guard guard(runtime_lock());
    Recurrence* const r = find(d);
    if (!r) return bad("not a descriptor");
    if (in <= 0 || hidden <= 0 || out <= 0 || layers <= 0) return bad("sizes that are not positive");
    if (out > hidden) return refuse(CUDNN_STATUS_NOT_SUPPORTED, "a projection to more than there is");
    if (out != hidden && cell != CUDNN_LSTM) return refuse(CUDNN_STATUS_NOT_SUPPORTED, "only lstm projects");
    if (compute != type || (type != CUDNN_DATA_FLOAT && type != CUDNN_DATA_DOUBLE) || algo != CUDNN_RNN_ALGO_STANDARD ||
        direction != CUDNN_UNIDIRECTIONAL || input != CUDNN_LINEAR_INPUT || layers != 1 || dropout ||
        flags != CUDNN_RNN_PADDED_IO_DISABLED || (bias != CUDNN_RNN_NO_BIAS && bias != CUDNN_RNN_DOUBLE_BIAS) ||
        (math != CUDNN_FMA_MATH && math != CUDNN_DEFAULT_MATH))
        return refuse(CUDNN_STATUS_NOT_SUPPORTED, "what nobody has asked the stand-in for yet");
    *r = {true, cell, bias, type, math, in, hidden, out};
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateRNNDataDescriptor(cudnnRNNDataDescriptor_t* d) { return create<Rows>(d); }
cudnnStatus_t cudnnDestroyRNNDataDescriptor(cudnnRNNDataDescriptor_t d) { return destroy<Rows>(d); }
cudnnStatus_t cudnnSetRNNDataDescriptor(cudnnRNNDataDescriptor_t d, cudnnDataType_t type, cudnnRNNDataLayout_t layout,
                                        int steps, int batch, int width, const int lengths[], void*) {
    if (this_call_fails()) return refuse(CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED, "out of memory");
    const std::lock_guard guard(runtime_lock());
    Rows* const r = find(d);
    if (!r) return bad("not a descriptor");
    if (layout != CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED)
        return refuse(CUDNN_STATUS_NOT_SUPPORTED, "a layout that nobody has asked the stand-in for yet");
    if (steps <= 0 || batch <= 0 || width <= 0 || !lengths) return bad("sizes that are not positive");
    // the three things that the real library says, in its order
    if (!std::is_sorted(lengths, lengths + batch, std::greater<>())) return bad("isSortedSequences == false");
    if (lengths[0] != steps) return bad("maxSeqLengthInArray != maxSeqLength");
    if (lengths[batch - 1] <= 0) return bad("minSeqLengthInArray == 0");
    *r = {true, type, std::vector<int>(lengths, lengths + batch), steps, width};
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetRNNWeightSpaceSize(cudnnHandle_t handle, cudnnRNNDescriptor_t d, std::size_t* bytes) {
    const std::lock_guard guard(runtime_lock());
    const Recurrence* const r = find(d);
    if (!is_handle(handle) || !r || !r->set) return bad("not a handle of this device, or not a layer");
    *bytes = std::size_t(r->weights()) * size_of(r->type);
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetRNNWeightParams(cudnnHandle_t handle, cudnnRNNDescriptor_t d, std::int32_t layer,
                                      std::size_t bytes, const void* weights, std::int32_t id,
                                      cudnnTensorDescriptor_t matrix, void** matrix_at, cudnnTensorDescriptor_t bias,
                                      void** bias_at) {
    const std::lock_guard guard(runtime_lock());
    const Recurrence* const r = find(d);
    Sized *const m = find(matrix), *const b = find(bias);
    if (!is_handle(handle) || !r || !r->set || !m || !b) return bad("not a handle of this device, or not a layer");
    if (layer != 0 || id < 0 || id > 8 || bytes < std::size_t(r->weights()) * size_of(r->type))
        return bad("a layer that is not there, or too little memory for its weights");
    const Recurrence::Part p = r->part(id);
    const auto at = [&](std::int64_t place) {
        auto* const begin = static_cast<std::byte*>(const_cast<void*>(weights));
        return place < 0 ? nullptr : begin + std::size_t(place) * size_of(r->type);
    };
    *matrix_at = at(p.matrix);
    *bias_at = at(p.bias);
    const int rows = int(p.rows), columns = int(p.columns);
    *m = {p.matrix >= 0, r->type, {1, rows, columns}, {rows * columns, columns, 1}};
    *b = {p.bias >= 0, r->type, {1, rows, 1}, {rows, 1, 1}};
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t handle, cudnnRNNDescriptor_t d, cudnnForwardMode_t mode,
                                        cudnnRNNDataDescriptor_t x, std::size_t* work, std::size_t* kept) {
    const std::lock_guard guard(runtime_lock());
    const Recurrence* const r = find(d);
    const Rows* const rows = find(x);
    if (!is_handle(handle) || !r || !r->set || !rows || !rows->set)
        return bad("not a handle of this device, or not a layer");
    *work = 32 + std::size_t(rows->batch() * r->hidden) * sizeof(double);
    *kept = mode == CUDNN_FWD_MODE_TRAINING
                ? stage_bytes + std::size_t(rows->count() * r->kept_per_row()) * sizeof(double)
                : 0;
    return CUDNN_STATUS_SUCCESS;
}

} // extern "C"
