// Reading and writing at computed positions.
#include <reel/autograd/kernels/index.hpp>

#include <complex>

#include "atomic.cuh"
#include "captured_checks.hpp"
#include "complex.cuh"
#include "dispatch.cuh"
#include "elements.cuh"
#include "first_where.cuh"
#include "primitives.hpp"

namespace reel::cuda {

namespace {

struct OutOfRange {
    Strided<1> g;
    const std::int64_t* index;
    std::int64_t low, size;
    __device__ bool operator()(std::int64_t k) const {
        std::int64_t at[1];
        g.offsets(k, at);
        return index[at[0]] < low || index[at[0]] >= size;
    }
};
/// Waits for the device: an index that is out of range is an error of this call. In a capture nobody looks here, but
/// `wrap_index` does.
void check_index(const char* op, const Tensor& index, std::int64_t size, bool wrap, bool& negative) {
    CapturedChecks* const captured = capture_checks(index.device().index());
    if (captured) captured->wrap(wrap);
    REEL_CHECK_INDEX(!captured || size > 0, op, ": an index into a dimension of size 0");
    negative = wrap || captured;
    const Tensor* const one[] = {&index};
    const std::int64_t bad =
        first_where(op, index, index.numel(),
                    OutOfRange{strided(op, index.sizes(), one), data<std::int64_t>(index), wrap ? -size : 0, size});
    if (bad < 0) return;
    const std::int64_t found = last_of(op, index.reshape({-1}).narrow(0, bad, 1).contiguous());
    REEL_CHECK_INDEX(false, op, ": index ", found, " is out of range for a dimension of size ", size);
}

struct Wrap {
    std::int64_t* index;
    std::int64_t size;
    FaultNote note;
    __device__ void operator()(std::int64_t k) const {
        std::int64_t i = index[k];
        if (i < 0 && note.wrap) i += size;
        if (note.word && (i < 0 || i >= size)) {
            atomicExch(note.word, note.code);
            i = 0;
        }
        index[k] = i;
    }
};
void wrap_index(const char* op, const Tensor& index, std::int64_t size) {
    CapturedChecks* const captured = capture_checks(index.device().index());
    for_each(op, index.device().index(), index.numel(),
             Wrap{data<std::int64_t>(index), size, captured ? captured->add(op, size) : FaultNote{nullptr, 0, true}});
}

template <class T> struct Gather {
    Strided<3> g;
    T* out;
    const T* self;
    const std::int64_t* index;
    std::int64_t step;
    __device__ void operator()(std::int64_t i) const {
        std::int64_t at[3];
        g.offsets(i, at);
        out[at[0]] = self[at[1] + index[at[2]] * step];
    }
};
void gather(const Tensor& out, const Tensor& self, const Tensor& index, std::int64_t step) {
    const Tensor* const all[] = {&out, &self, &index};
    const auto g = strided("gather", out.sizes(), all);
    for_size(out, [&]<class T>() {
        for_each("gather", out.device().index(), g.numel,
                 Gather<T>{g, data<T>(out), data<T>(self), data<std::int64_t>(index), step});
    });
}

template <class T> __device__ T combined(ScatterMode mode, const T& a, const T& b) {
    if (mode == ScatterMode::Add) return sum_of(a, b);
    if (mode == ScatterMode::Multiply) return product_of(a, b);
    if constexpr (requires { compute_t<T>(a) < compute_t<T>(b); }) {
        if (is_nan(a)) return a;
        if (is_nan(b)) return b;
        const bool other =
            mode == ScatterMode::Maximum ? compute_t<T>(a) < compute_t<T>(b) : compute_t<T>(b) < compute_t<T>(a);
        return other ? b : a;
    } else return b;
}

/// Where sources go in any order: what they do to one element commutes but for rounding.
template <class T> struct Scatter {
    Strided<3> g;
    T* self;
    const T* src;
    const std::int64_t* index;
    std::int64_t step;
    ScatterMode mode;
    __device__ void operator()(std::int64_t i) const {
        std::int64_t at[3];
        g.offsets(i, at);
        T* const to = self + at[0] + index[at[2]] * step;
        const T value = src[at[1]];
        if (mode == ScatterMode::Add) atomic_add(to, value);
        else if constexpr (sizeof(T) <= 8) atomic_update(to, [this, value](T x) { return combined(mode, x, value); });
    }
};

/// The offset of each source's element, in order of the sources.
struct Targets {
    Strided<3> g;
    const std::int64_t* index;
    std::int64_t step;
    std::int64_t* to;
    __device__ void operator()(std::int64_t i) const {
        std::int64_t at[3];
        g.offsets(i, at);
        to[i] = at[0] + index[at[2]] * step;
    }
};

/// Sources stand by target: the first of each target's walks through them in order; of assigned ones only the last
/// counts.
template <class T> struct InOrder {
    Strided<3> g;
    T* self;
    const T* src;
    const std::int64_t *targets, *places;
    std::int64_t n;
    ScatterMode mode;
    __device__ const T& source(std::int64_t k) const {
        std::int64_t at[3];
        g.offsets(places[k], at);
        return src[at[1]];
    }
    __device__ void operator()(std::int64_t k) const {
        const std::int64_t target = targets[k];
        if (mode == ScatterMode::Assign) {
            if (k + 1 == n || targets[k + 1] != target) self[target] = source(k);
            return;
        }
        if constexpr (!std::is_same_v<T, Bytes16>) {
            if (k > 0 && targets[k - 1] == target) return;
            T value = self[target];
            for (std::int64_t j = k; j < n && targets[j] == target; ++j) value = combined(mode, value, source(j));
            self[target] = value;
        }
    }
};

void scatter(ScatterMode mode, const Tensor& self, const Tensor& index, const Tensor& src, std::int64_t step,
             bool /*apart*/) {
    const Tensor* const all[] = {&self, &src, &index};
    const auto g = strided("scatter", index.sizes(), all);
    const DeviceIndex where = self.device().index();
    if (g.numel == 0) return;
    const bool wide = mode == ScatterMode::Multiply && self.itemsize() == 16; // beyond the device's words
    if (mode != ScatterMode::Assign && !wide) {
        dispatch(AllTypes(), "scatter", self, [&]<class T>() {
            for_each("scatter", where, g.numel,
                     Scatter<T>{g, data<T>(self), data<T>(src), data<std::int64_t>(index), step, mode});
        });
        return;
    }
    const Tensor targets = self.new_empty({g.numel}, kLong);
    for_each("scatter", where, g.numel, Targets{g, data<std::int64_t>(index), step, data<std::int64_t>(targets)});
    const SortedKeys by_target = sort_keys("scatter", targets, g.numel);
    const auto run = [&]<class T>() {
        for_each("scatter", where, g.numel,
                 InOrder<T>{g, data<T>(self), data<T>(src), data<std::int64_t>(by_target.keys),
                            data<std::int64_t>(by_target.places), g.numel, mode});
    };
    if (wide) dispatch(Types<std::complex<double>>(), "scatter", self, run);
    else for_size(self, run);
}

[[maybe_unused]] const bool attached = [] {
    kernels::check_index.set(kCUDA, &check_index);
    kernels::wrap_index.set(kCUDA, &wrap_index);
    kernels::gather.set(kCUDA, &gather);
    kernels::scatter.set(kCUDA, &scatter);
    return true;
}();

} // namespace

} // namespace reel::cuda
