// Running sums and products, and rows turned round.
#include <reel/autograd/kernels/scan.hpp>

#include "scan.cuh"

namespace reel::cuda {

namespace {

template <class T, bool product> struct Running {
    using State = wider_t<T>;
    Elements<T> out, in;
    bool backwards;

    __device__ std::int64_t place(std::int64_t row, std::int64_t i, std::int64_t length) const {
        return row * length + (backwards ? length - 1 - i : i);
    }
    __device__ State nothing() const { return State(product ? 1 : 0); }
    __device__ State at(std::int64_t row, std::int64_t i, std::int64_t length) const {
        return State(in[place(row, i, length)]);
    }
    __device__ State join(State a, State b) const {
        if constexpr (product) return a * b;
        else return a + b;
    }
    __device__ void put(std::int64_t row, std::int64_t i, State s, std::int64_t length) const {
        out.put(place(row, i, length), s);
    }
};
template <bool product> void run(const char* op, const Tensor& out, const Tensor& rows, bool backwards) {
    for_dtype<floats | halves | whole | complexes>(op, out, [&]<class T>() {
        scan_rows(op, out, Running<T, product>{Elements<T>(out), Elements<T>(rows), backwards}, line_count(rows),
                  line_length(rows));
    });
}
void cumsum(const Tensor& out, const Tensor& rows, bool backwards) { run<false>("cumsum", out, rows, backwards); }
void cumprod(const Tensor& out, const Tensor& rows) { run<true>("cumprod", out, rows, false); }

template <class T> __global__ void reverse_kernel(T* out, const T* in, std::int64_t count, std::int64_t length) {
    for (std::int64_t i = first_place(); i < count; i += place_step()) {
        const std::int64_t row = i / length;
        out[i] = in[row * length + (length - 1 - (i - row * length))];
    }
}
void reverse(const Tensor& out, const Tensor& rows) {
    if (out.numel() == 0) return;
    const OnDevice on(out);
    for_size(out, [&]<class T>() {
        launch("reverse", reverse_kernel<T>, on.over(out.numel()), static_cast<T*>(out.data_ptr()),
               static_cast<const T*>(rows.data_ptr()), out.numel(), line_length(rows));
    });
}

[[maybe_unused]] const bool attached = [] {
    kernels::cumsum.set(kCUDA, &cumsum);
    kernels::cumprod.set(kCUDA, &cumprod);
    kernels::reverse.set(kCUDA, &reverse);
    return true;
}();

} // namespace

} // namespace reel::cuda
