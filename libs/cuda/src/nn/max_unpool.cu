// Maps between images and the places of their elements.
#include <reel/autograd/kernels/copy.hpp>
#include <reel/autograd/kernels/pool.hpp>

#include "scratch.cuh"

namespace reel::cuda {

namespace {

template <class T>
__global__ void pick_kernel(const T* in, const std::int64_t* places, T* out, std::int64_t count, std::int64_t in_size,
                            std::int64_t out_size) {
    for (std::int64_t o = first_place(); o < count; o += place_step())
        out[o] = places[o] < 0 ? T{} : in[o / out_size * in_size + places[o]];
}
void max_pool_pick(const PoolGeometry& g, const Tensor& input, const Tensor& places, const Tensor& output) {
    if (output.numel() == 0) return;
    const OnDevice on(output);
    for_size(output, [&]<class T>() {
        launch("max_pool_pick", pick_kernel<T>, on.over(output.numel()), static_cast<const T*>(input.data_ptr()),
               Elements<std::int64_t>(places).data, static_cast<T*>(output.data_ptr()), output.numel(), g.in_size(),
               g.out_size());
    });
}

/// Who comes last to each place of the images, counted from one; zero where nobody comes.
using Count = unsigned long long;
__global__ void last_kernel(Count* last, const std::int64_t* places, std::int64_t count, std::int64_t in_size,
                            std::int64_t out_size) {
    for (std::int64_t o = first_place(); o < count; o += place_step())
        atomicMax(last + o / out_size * in_size + places[o], Count(o) + 1);
}
DeviceScratch<Count> last_comers(const PoolGeometry& g, const Tensor& places, const OnDevice& on) {
    DeviceScratch<Count> last(g.planes * g.in_size(), places);
    REEL_CUDA(cudaMemsetAsync(last.data(), 0, std::size_t(g.planes * g.in_size()) * sizeof(Count), on.stream()));
    launch("max_unpool", last_kernel, on.over(places.numel()), last.data(), Elements<std::int64_t>(places).data,
           places.numel(), g.in_size(), g.out_size());
    return last;
}

template <class T>
__global__ void unpool_kernel(T* in, const T* out, const std::int64_t* places, const Count* last, std::int64_t count,
                              std::int64_t in_size, std::int64_t out_size) {
    for (std::int64_t o = first_place(); o < count; o += place_step()) {
        const std::int64_t at = o / out_size * in_size + places[o];
        if (last[at] == Count(o) + 1) in[at] = out[o];
    }
}
void max_unpool(const PoolGeometry& g, const Tensor& input, const Tensor& places, const Tensor& output) {
    if (input.numel() == 0) return;
    kernels::fill(input, Scalar(0));
    if (output.numel() == 0) return;
    const OnDevice on(output);
    const auto last = last_comers(g, places, on);
    for_size(output, [&]<class T>() {
        launch("max_unpool", unpool_kernel<T>, on.over(output.numel()), static_cast<T*>(input.data_ptr()),
               static_cast<const T*>(output.data_ptr()), Elements<std::int64_t>(places).data, last.data(),
               output.numel(), g.in_size(), g.out_size());
    });
}

template <class T>
__global__ void unpool_adjoint_kernel(const T* in, T* out, const std::int64_t* places, const Count* last,
                                      std::int64_t count, std::int64_t in_size, std::int64_t out_size) {
    for (std::int64_t o = first_place(); o < count; o += place_step()) {
        const std::int64_t at = o / out_size * in_size + places[o];
        out[o] = last[at] == Count(o) + 1 ? in[at] : T{};
    }
}
void max_unpool_adjoint(const PoolGeometry& g, const Tensor& input, const Tensor& places, const Tensor& output) {
    if (output.numel() == 0) return;
    const OnDevice on(output);
    const auto last = last_comers(g, places, on);
    for_size(output, [&]<class T>() {
        launch("max_unpool", unpool_adjoint_kernel<T>, on.over(output.numel()), static_cast<const T*>(input.data_ptr()),
               static_cast<T*>(output.data_ptr()), Elements<std::int64_t>(places).data, last.data(), output.numel(),
               g.in_size(), g.out_size());
    });
}

[[maybe_unused]] const bool attached = [] {
    kernels::max_pool_pick.set(kCUDA, &max_pool_pick);
    kernels::max_unpool.set(kCUDA, &max_unpool);
    kernels::max_unpool_adjoint.set(kCUDA, &max_unpool_adjoint);
    return true;
}();

} // namespace

} // namespace reel::cuda
