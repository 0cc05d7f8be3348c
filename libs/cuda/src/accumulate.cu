// Sums into elements that may overlap.
#include <reel/autograd/kernels/accumulate.hpp>

#include "atomic.cuh"
#include "dispatch.cuh"
#include "for_each.cuh"

namespace reel::cuda {

namespace {

template <class T> struct AddTo {
    Strided<2> g;
    T* to;
    const T* from;
    bool alone; // every element of `to` is met once
    __device__ void operator()(std::int64_t i) const {
        std::int64_t at[2];
        g.offsets(i, at);
        if (alone) to[at[0]] = sum_of(to[at[0]], from[at[1]]);
        else atomic_add(to + at[0], from[at[1]]);
    }
};

void accumulate(const Tensor& dst, const Tensor& src) {
    const Tensor* const all[] = {&dst, &src};
    const auto g = strided("accumulate", dst.sizes(), all);
    const bool alone = dst.is_non_overlapping_and_dense();
    dispatch(AllTypes(), "accumulate", dst, [&]<class T>() {
        for_each("accumulate", dst.device().index(), g.numel, AddTo<T>{g, data<T>(dst), data<T>(src), alone});
    });
}

[[maybe_unused]] const bool attached = (kernels::accumulate.set(kCUDA, &accumulate), true);

} // namespace

} // namespace reel::cuda
