// The pointwise family on the device: the rules of the shared headers, one kernel for each rule and dtype.
#pragma once

#include <type_traits>
#include <utility>

#include <reel/autograd/pointwise/device.hpp>
#include <reel/autograd/pointwise/loop.hpp>
#include <reel/cuda/device.hpp>

#include "complex_math.cuh"
#include "strided.cuh"

namespace reel::cuda {

/// The memory of `n` operands, as a kernel takes it.
template <class T, std::size_t n> struct Operands { const T* data[n]; };
/// `out[i] = f(in[0][i], ...)`; the operands are elements of T, the result of what the rule makes of them.
template <class Op, class T, std::size_t... I>
__global__ void pointwise_kernel(Strided<int(sizeof...(I)) + 1> g, pointwise::result_of<Op, T>* out,
                                 Operands<T, sizeof...(I)> in, Op op) {
    using C = pointwise::Wide<T>;
    const std::int64_t step = std::int64_t(gridDim.x) * blockDim.x;
    for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < g.numel; i += step) {
        std::int64_t at[sizeof...(I) + 1];
        g.offsets(i, at);
        out[at[0]] = pointwise::result_of<Op, T>(op.f(C(in.data[I][at[I + 1]])...));
    }
}

template <class Op, class T, std::size_t... I>
void run_as(const Op& op, const Tensor* const* t, cudaStream_t stream, std::index_sequence<I...>) {
    constexpr int n = int(sizeof...(I));
    const Tensor* const all[n + 1] = {t[0], t[I + 1]...};
    const Operands<T, sizeof...(I)> in{{static_cast<const T*>(t[I + 1]->data_ptr())...}};
    const auto g = strided("pointwise", t[0]->sizes(), all);
    auto* const out = static_cast<pointwise::result_of<Op, T>*>(t[0]->data_ptr());
    launch("pointwise", pointwise_kernel<Op, T, I...>, {blocks_for(g.numel), threads_per_block, 0, stream}, g, out, in,
           op);
}

template <class T> inline constexpr ScalarType element_of = dtype_of<T>;
template <class T> inline constexpr ScalarType element_of<Complex<T>> = dtype_of<std::complex<T>>;

/// Launches the kernel for the dtype among T..., if it is one of them.
template <class Op, class... T> bool run_among(const Op& op, const Tensor* const* t, cudaStream_t stream) {
    const ScalarType type = t[1]->scalar_type();
    bool found = false;
    ((type == element_of<T>
          ? (run_as<Op, T>(op, t, stream, std::make_index_sequence<std::size_t(Op::operands)>{}), found = true)
          : false),
     ...);
    return found;
}

/// What the core calls: operands have one dtype, the result's shape and its device. False: no kernel for the dtype.
template <class Op> bool run_pointwise(const void* op, const Tensor* const* t, int) {
    const Op& rule = *static_cast<const Op*>(op);
    const DeviceIndex index = t[0]->device().index();
    const DeviceGuard guard(index);
    const cudaStream_t stream = raw_stream(index);
    bool found = false;
    if constexpr ((Op::types & pointwise::floating) != 0)
        found = run_among<Op, float, double, Half, BFloat16>(rule, t, stream);
    if constexpr ((Op::types & pointwise::complex) != 0)
        found = found || run_among<Op, Complex<float>, Complex<double>>(rule, t, stream);
    if constexpr ((Op::types & pointwise::integral) != 0)
        found = found ||
                run_among<Op, std::uint8_t, std::int8_t, std::int16_t, std::int32_t, std::int64_t>(rule, t, stream);
    if constexpr ((Op::types & pointwise::boolean) != 0) found = found || run_among<Op, bool>(rule, t, stream);
    return found;
}

/// Gives every rule of a family its kernels; a rule that joins the family's list has them too.
template <class... Op> void attach_pointwise(pointwise::op_list<Op...>) {
    ((pointwise::device_loop<Op>[int(kCUDA)] = &run_pointwise<Op>), ...);
}

} // namespace reel::cuda
