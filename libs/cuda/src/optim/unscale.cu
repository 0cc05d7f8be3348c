// Gradients without their scale: many by one launch, and one word that says whether all were finite.
#include <reel/optim/detail/unscale_kernel.hpp>

#include <memory>

#include "atomic.cuh"
#include "dispatch.cuh"
#include "launch.hpp"
#include "scratch.cuh"

namespace reel::cuda {

namespace {

constexpr std::int64_t chunk = 4096; ///< elements, a block's

/// A gradient, and the first of the blocks that work on it.
struct Gradient {
    void* data;
    std::int64_t count;
    std::int32_t first_block, dtype;
};
/// What a launch gets to know, as its parameters.
template <int size> struct Gradients {
    std::int32_t count;
    Gradient of[size];
};

template <class T> __device__ bool unscale(T* data, std::int64_t begin, std::int64_t end, float factor) {
    bool bad = false;
    for (std::int64_t i = begin + threadIdx.x; i < end; i += blockDim.x) {
        const compute_t<T> x = compute_t<T>(data[i]);
        bad = bad || !(x - x == 0);
        data[i] = T(x * compute_t<T>(factor));
    }
    return bad;
}
template <int size> __global__ void unscale_kernel_of_many(Gradients<size> all, const float* factor, float* found_inf) {
    const std::int32_t block = std::int32_t(blockIdx.x);
    std::int32_t low = 0, high = all.count - 1;
    while (low < high) { // the last that begins at this block or before
        const std::int32_t middle = low + (high - low + 1) / 2;
        if (all.of[middle].first_block <= block) low = middle;
        else high = middle - 1;
    }
    const Gradient& g = all.of[low];
    const std::int64_t begin = (block - g.first_block) * chunk, stop = begin + chunk;
    const std::int64_t end = stop < g.count ? stop : g.count;
    bool bad = false;
    switch (ScalarType(g.dtype)) {
    case kFloat:
        bad = unscale(static_cast<float*>(g.data), begin, end, *factor);
        break;
    case kDouble:
        bad = unscale(static_cast<double*>(g.data), begin, end, *factor);
        break;
    case kHalf:
        bad = unscale(static_cast<Half*>(g.data), begin, end, *factor);
        break;
    default:
        bad = unscale(static_cast<BFloat16*>(g.data), begin, end, *factor);
    }
    if (bad) atomicExch(reinterpret_cast<unsigned*>(found_inf), 0x3f800000u); // 1.0f, whoever comes
}

template <int size>
void unscale_by(const Tensor& found_inf, const Tensor& inv_scale, ArrayRef<optim::StepOperands> gradients) {
    const OnDevice on(found_inf);
    const auto* const factor = static_cast<const float*>(inv_scale.data_ptr());
    auto* const found = static_cast<float*>(found_inf.data_ptr());
    for (std::size_t first = 0; first < gradients.size(); first += std::size_t(size)) {
        const auto table = std::make_unique<Gradients<size>>();
        std::int32_t blocks = 0;
        for (std::size_t i = first; i < gradients.size() && table->count < size; ++i) {
            const optim::StepOperands& o = gradients[i];
            table->of[table->count++] = {o.data[0], o.count, blocks, std::int32_t(o.dtype)};
            blocks += std::int32_t((o.count + chunk - 1) / chunk);
        }
        launch("unscale", unscale_kernel_of_many<size>, {unsigned(blocks), threads_per_block, 0, on.stream()}, *table,
               factor, found);
    }
}
void unscale_all(const Tensor& found_inf, const Tensor& inv_scale, ArrayRef<optim::StepOperands> gradients) {
    if (gradients.size() <= 8) unscale_by<8>(found_inf, inv_scale, gradients);
    else unscale_by<1000>(found_inf, inv_scale, gradients);
}

[[maybe_unused]] const bool attached = (optim::unscale_kernel.set(kCUDA, &unscale_all), true);

} // namespace

} // namespace reel::cuda
