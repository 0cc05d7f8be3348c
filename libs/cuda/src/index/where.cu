// Choices between two operands: elements are only moved.
#include <reel/autograd/kernels/where.hpp>

#include "dispatch.cuh"
#include "elements.cuh"
#include "for_each.cuh"

namespace reel::cuda {

namespace {

template <class T> struct Choose {
    Strided<4> g;
    T* out;
    const bool* condition;
    const T *input, *other;
    __device__ void operator()(std::int64_t i) const {
        std::int64_t at[4];
        g.offsets(i, at);
        out[at[0]] = condition[at[1]] ? input[at[2]] : other[at[3]];
    }
};

void where(const Tensor& out, const Tensor& condition, const Tensor& input, const Tensor& other) {
    const Tensor* const all[] = {&out, &condition, &input, &other};
    const auto g = strided("where", out.sizes(), all);
    for_size(out, [&]<class T>() {
        for_each("where", out.device().index(), g.numel,
                 Choose<T>{g, data<T>(out), data<bool>(condition), data<T>(input), data<T>(other)});
    });
}

[[maybe_unused]] const bool attached = (kernels::where.set(kCUDA, &where), true);

} // namespace

} // namespace reel::cuda
