// The pointwise family on the device: the rules of the shared headers, one kernel for each rule and dtype.
#pragma once

#include <type_traits>

#include <reel/autograd/pointwise/device.hpp>
#include <reel/autograd/pointwise/rule.hpp>
#include <reel/cuda/device.hpp>

#include "strided.cuh"

namespace reel::cuda {

template <class Op, class T> __global__ void unary_kernel(Strided<2> g, T* out, const T* x, Op op) {
    using C = compute_t<T>;
    const std::int64_t step = std::int64_t(gridDim.x) * blockDim.x;
    for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < g.numel; i += step) {
        std::int64_t at[2];
        g.offsets(i, at);
        out[at[0]] = T(op.f(C(x[at[1]])));
    }
}
template <class Op, class T> __global__ void binary_kernel(Strided<3> g, T* out, const T* x, const T* o, Op op) {
    using C = compute_t<T>;
    const std::int64_t step = std::int64_t(gridDim.x) * blockDim.x;
    for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < g.numel; i += step) {
        std::int64_t at[3];
        g.offsets(i, at);
        out[at[0]] = T(op.f(C(x[at[1]]), C(o[at[2]])));
    }
}

/// Is Op one of two operands?
template <class Op> inline constexpr bool takes_two = requires { Op::reads_da; };

template <class Op, class T> void launch(const Op& op, const Tensor* const* t, cudaStream_t stream) {
    const auto data = [&](int i) { return static_cast<T*>(t[i]->data_ptr()); };
    if constexpr (takes_two<Op>) {
        const Tensor* const all[3] = {t[0], t[1], t[2]};
        const auto g = strided("pointwise", t[0]->sizes(), all);
        binary_kernel<Op, T><<<blocks_for(g.numel), threads_per_block, 0, stream>>>(g, data(0), data(1), data(2), op);
    } else {
        const Tensor* const all[2] = {t[0], t[1]};
        const auto g = strided("pointwise", t[0]->sizes(), all);
        unary_kernel<Op, T><<<blocks_for(g.numel), threads_per_block, 0, stream>>>(g, data(0), data(1), op);
    }
}

/// Launches the kernel for the dtype among T..., if it is one of them.
template <class Op, class... T> bool launch_among(const Op& op, const Tensor* const* t, cudaStream_t stream) {
    const ScalarType type = t[0]->scalar_type();
    bool found = false;
    ((type == dtype_of<T> ? (launch<Op, T>(op, t, stream), found = true) : false), ...);
    return found;
}

/// What the core calls: operands have the result's dtype and shape and live on its device. False: no kernel for the dtype.
template <class Op> bool run_pointwise(const void* op, const Tensor* const* t, int) {
    const Op& rule = *static_cast<const Op*>(op);
    const DeviceIndex index = t[0]->device().index();
    const DeviceGuard guard(index);
    const cudaStream_t stream = raw_stream(index);
    bool found = false;
    if constexpr ((Op::types & pointwise::floating) != 0) found = launch_among<Op, float, double, Half, BFloat16>(rule, t, stream);
    if constexpr ((Op::types & pointwise::integral) != 0)
        found = found || launch_among<Op, std::uint8_t, std::int8_t, std::int16_t, std::int32_t, std::int64_t>(rule, t, stream);
    if constexpr ((Op::types & pointwise::boolean) != 0) found = found || launch_among<Op, bool>(rule, t, stream);
    if (found) check_launch("pointwise");
    return found;
}

/// Gives every rule of a family its kernels; a rule that joins the family's list has them too.
template <class... Op> void attach_pointwise(pointwise::op_list<Op...>) {
    ((pointwise::device_loop<Op>[int(kCUDA)] = &run_pointwise<Op>), ...);
}

} // namespace reel::cuda
