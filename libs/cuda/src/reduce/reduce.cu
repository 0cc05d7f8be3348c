// Products, and how many elements hold: all, any, their number.
#include <reel/autograd/kernels/reduce.hpp>

#include "reduction.cuh"

namespace reel::cuda {

namespace {

template <class T> struct Product : DenseRows<T, Product<T>> {
    using State = number_t<T>;
    Elements<T> out;

    __device__ State nothing() const { return State(1); }
    __device__ void take(State& s, State v, std::int64_t) const { s = s * v; }
    __device__ State join(State a, State b) const { return a * b; }
    __device__ void finish(std::int64_t row, State s, std::int64_t) const { out.put(row, s); }
};

void prod(const Tensor& out, const Tensor& rows, std::int64_t inner) {
    for_dtype<floats | halves | whole | complexes>("prod", out, [&]<class T>() {
        reduce_rows("prod", out, Product<T>{{rows, inner}, Elements<T>(out)}, out.numel(), inner);
    });
}

enum class Wanted { all, any, count };

/// Of bytes that are zero or one.
struct Holding : DenseRows<std::uint8_t, Holding> {
    using State = std::int64_t;
    Elements<AnyInteger> out;
    Wanted wanted;

    __device__ State nothing() const { return 0; }
    __device__ void take(State& s, std::uint8_t v, std::int64_t) const { s += v != 0; }
    __device__ State join(State a, State b) const { return a + b; }
    __device__ void finish(std::int64_t row, State s, std::int64_t length) const {
        out.put(row, std::uint64_t(wanted == Wanted::all ? s == length : wanted == Wanted::any ? s > 0 : s));
    }
};
template <Wanted wanted> void holding(const Tensor& out, const Tensor& rows, std::int64_t inner) {
    constexpr const char* names[] = {"all", "any", "count_nonzero"};
    reduce_rows(names[int(wanted)], out, Holding{{rows, inner}, Elements<AnyInteger>(out), wanted}, out.numel(), inner);
}

[[maybe_unused]] const bool attached = [] {
    kernels::prod.set(kCUDA, &prod);
    kernels::all.set(kCUDA, &holding<Wanted::all>);
    kernels::any.set(kCUDA, &holding<Wanted::any>);
    kernels::count_nonzero.set(kCUDA, &holding<Wanted::count>);
    return true;
}();

} // namespace

} // namespace reel::cuda
