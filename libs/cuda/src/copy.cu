// Copies: on the device with conversion and strides, and between host and device. Fills.
#include <complex>

#include <reel/autograd/grad_mode.hpp>
#include <reel/cuda/device.hpp>

#include "capturing.hpp"
#include "copy.hpp"
#include "pinned.hpp"
#include "stream.hpp"
#include "strided.cuh"

namespace reel::cuda {

namespace {

template <class T> struct is_complex : std::false_type {};
template <class T> struct is_complex<std::complex<T>> : std::true_type {};

/// The conversions of the CPU: complex to real keeps the real part, everything but zero is true.
template <class D, class S> __device__ D convert(S s) {
    if constexpr (is_complex<D>::value) {
        using Part = typename D::value_type;
        if constexpr (is_complex<S>::value) return D(Part(s.real()), Part(s.imag()));
        else return D(Part(static_cast<compute_t<S>>(s)), Part(0));
    } else if constexpr (is_complex<S>::value) {
        if constexpr (std::is_same_v<D, bool>) return s.real() != 0 || s.imag() != 0;
        else return convert<D>(s.real());
    } else if constexpr (std::is_same_v<D, bool>) return static_cast<compute_t<S>>(s) != compute_t<S>(0);
    else return D(static_cast<compute_t<D>>(static_cast<compute_t<S>>(s)));
}

/// The source's dtype is looked at in the kernel: the branch is the same for all threads, and memory sets the pace.
template <class D> __global__ void copy_kernel(Strided<2> g, D* out, const void* in, ScalarType type) {
    const std::int64_t step = std::int64_t(gridDim.x) * blockDim.x;
    for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < g.numel; i += step) {
        std::int64_t at[2];
        g.offsets(i, at);
        switch (type) {
#define REEL_CASE(T, Name)                                                                                             \
    case ScalarType::Name:                                                                                             \
        out[at[0]] = convert<D>(static_cast<const T*>(in)[at[1]]);                                                     \
        break;
            REEL_FORALL_SCALAR_TYPES(REEL_CASE)
#undef REEL_CASE
        default:
            break;
        }
    }
}

void copy_on_device(const Tensor& dst, const Tensor& src) {
    const DeviceIndex index = dst.device().index();
    const DeviceGuard guard(index);
    const cudaStream_t stream = raw_stream(index);
    if (dst.scalar_type() == src.scalar_type() && dst.is_contiguous() && src.is_contiguous()) {
        REEL_CUDA(cudaMemcpyAsync(dst.data_ptr(), src.data_ptr(), dst.numel() * elementSize(dst.scalar_type()),
                                  cudaMemcpyDeviceToDevice, stream));
        return;
    }
    const Tensor* const both[2] = {&dst, &src};
    const auto g = strided("copy", dst.sizes(), both);
    switch (dst.scalar_type()) {
#define REEL_CASE(T, Name)                                                                                             \
    case ScalarType::Name:                                                                                             \
        return launch("copy", copy_kernel<T>, {blocks_for(g.numel), threads_per_block, 0, stream}, g,                  \
                      static_cast<T*>(dst.data_ptr()), src.data_ptr(), src.scalar_type());
        REEL_FORALL_SCALAR_TYPES(REEL_CASE)
#undef REEL_CASE
    default:
        break;
    }
}

template <class T> __global__ void fill_kernel(Strided<1> g, T* out, T value) {
    const std::int64_t step = std::int64_t(gridDim.x) * blockDim.x;
    for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < g.numel; i += step) {
        std::int64_t at[1];
        g.offsets(i, at);
        out[at[0]] = value;
    }
}

Tensor fresh(const Tensor& like, ScalarType dtype, Device device) {
    return like.new_empty(like.sizes(), TensorOptions(dtype).device(device));
}
/// Without the elements that broadcasting repeats.
Tensor without_repeats(Tensor t) {
    for (std::int64_t d = 0; d < t.dim(); ++d)
        if (t.stride(d) == 0 && t.size(d) > 1) t = t.narrow(d, 0, 1);
    return t;
}

void to_device(const Tensor& dst, const Tensor& src, bool non_blocking) {
    const DeviceIndex index = dst.device().index();
    const Tensor host = without_repeats(src).to(dst.scalar_type()).contiguous();
    if (host.numel() == 1) return device_fill(dst, host.item()); // the number travels with the launch
    const bool direct = dst.is_contiguous() && host.sizes().equals(dst.sizes());
    const Tensor landing = direct ? dst : fresh(host, host.scalar_type(), dst.device());
    if (!host.is_pinned() || !non_blocking) refuse_to_wait("a copy from pageable memory, or one that blocks,");
    {
        const DeviceGuard guard(index);
        const cudaStream_t stream = raw_stream(index);
        // from pageable memory: returns when the host's side has been read
        REEL_CUDA(cudaMemcpyAsync(landing.data_ptr(), host.data_ptr(), host.numel() * elementSize(host.scalar_type()),
                                  cudaMemcpyHostToDevice, stream));
        if (host.is_pinned()) {
            if (non_blocking) pinned_used_on(host.data_ptr(), stream);
            else REEL_CUDA(cudaStreamSynchronize(stream));
        }
    }
    if (!direct) copy_on_device(dst, landing.expand(dst.sizes()));
}

void to_host(const Tensor& dst, const Tensor& src, bool non_blocking) {
    const DeviceIndex index = src.device().index();
    refuse_to_wait("a copy to the host (item(), a condition, printing)");
    Tensor sent = src;
    if (!src.is_contiguous() || src.scalar_type() != dst.scalar_type()) {
        sent = fresh(src, dst.scalar_type(), src.device());
        copy_on_device(sent, src);
    }
    const Tensor landing = dst.is_contiguous() ? dst : fresh(dst, dst.scalar_type(), kCPU);
    {
        const DeviceGuard guard(index);
        const cudaStream_t stream = raw_stream(index);
        REEL_CUDA(cudaMemcpyAsync(landing.data_ptr(), sent.data_ptr(), sent.numel() * elementSize(sent.scalar_type()),
                                  cudaMemcpyDeviceToHost, stream));
        if (non_blocking && dst.is_pinned() && landing.is_same(dst)) pinned_used_on(dst.data_ptr(), stream);
        else REEL_CUDA(cudaStreamSynchronize(stream));
    }
    if (!landing.is_same(dst)) dst.copy_(landing);
}

void between_devices(const Tensor& dst, const Tensor& src) {
    const DeviceIndex from = src.device().index(), to = dst.device().index();
    const Tensor sent = src.scalar_type() == dst.scalar_type() && src.is_contiguous()
                            ? src
                            : fresh(src, dst.scalar_type(), src.device());
    if (!sent.is_same(src)) copy_on_device(sent, src);
    const Tensor landing = dst.is_contiguous() ? dst : fresh(dst, dst.scalar_type(), dst.device());
    {
        // the copy is the sender's work: the receiver's memory must be there, and what reads it comes after
        const std::uintptr_t sender = stream_token(from), receiver = stream_token(to);
        order_streams(to, receiver, from, sender);
        const DeviceGuard guard(from);
        REEL_CUDA(cudaMemcpyPeerAsync(landing.data_ptr(), to, sent.data_ptr(), from,
                                      sent.numel() * elementSize(sent.scalar_type()), raw_stream(from)));
        order_streams(from, sender, to, receiver);
    }
    if (!landing.is_same(dst)) copy_on_device(dst, landing);
}

} // namespace

void device_copy(const Tensor& dst, const Tensor& src, bool non_blocking) {
    if (dst.numel() == 0) return;
    const NoGradGuard no_grad;
    if (!src.is_cuda()) to_device(dst, src, non_blocking);
    else if (!dst.is_cuda()) to_host(dst, src, non_blocking);
    else if (dst.device() == src.device()) copy_on_device(dst, src);
    else between_devices(dst, src);
}

void device_fill(const Tensor& dst, const Scalar& value) {
    if (dst.numel() == 0) return;
    const DeviceIndex index = dst.device().index();
    const DeviceGuard guard(index);
    const cudaStream_t stream = raw_stream(index);
    const Tensor* const one[1] = {&dst};
    const auto g = strided("fill", dst.sizes(), one);
    switch (dst.scalar_type()) {
#define REEL_CASE(T, Name)                                                                                             \
    case ScalarType::Name:                                                                                             \
        return launch("fill", fill_kernel<T>, {blocks_for(g.numel), threads_per_block, 0, stream}, g,                  \
                      static_cast<T*>(dst.data_ptr()), value.to<T>());
        REEL_FORALL_SCALAR_TYPES(REEL_CASE)
#undef REEL_CASE
    default:
        break;
    }
}

} // namespace reel::cuda
