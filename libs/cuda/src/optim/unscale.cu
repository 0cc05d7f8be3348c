// Gradients without their scale: many by one launch, and one word that says whether all were finite.
#include <reel/optim/detail/unscale_kernel.hpp>

#include <memory>

#include "atomic.cuh"
#include "dispatch.cuh"
#include "launch.hpp"
#include "many_tensors.cuh"
#include "scratch.cuh"

namespace reel::cuda {

namespace {

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

/// Says whether one of this thread's elements was not finite.
template <class T> __device__ bool unscale(const Gradient& g, float factor) {
    T* const data = static_cast<T*>(g.data);
    bool bad = false;
    for_chunk(g, [&](std::int64_t i) {
        const compute_t<T> x = compute_t<T>(data[i]);
        bad = bad || !(x - x == 0);
        data[i] = T(x * compute_t<T>(factor));
    });
    return bad;
}
template <int size>
__global__ void unscale_kernel_of_many(TableParameter<Gradients<size>> all, const float* factor, float* found_inf) {
    const Gradient& g = entry_of_block(all.of, all.count);
    bool bad = false;
    switch (ScalarType(g.dtype)) {
    case kFloat:
        bad = unscale<float>(g, *factor);
        break;
    case kDouble:
        bad = unscale<double>(g, *factor);
        break;
    case kHalf:
        bad = unscale<Half>(g, *factor);
        break;
    default:
        bad = unscale<BFloat16>(g, *factor);
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
            blocks += chunks_of(o.count);
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
