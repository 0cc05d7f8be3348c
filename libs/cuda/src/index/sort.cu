// Order along rows: keys are sorted, elements follow.
#include <reel/autograd/kernels/sort.hpp>

#include "dispatch.cuh"
#include "elements.cuh"
#include "for_each.cuh"
#include "primitives.hpp"

namespace reel::cuda {

namespace {

/// The first `k` of the `n` elements of each row in order, or the one at `first` and those behind it.
template <class T> struct TakeFirst {
    T* values;
    std::int64_t* indices;
    const T* rows;
    const std::int64_t* places;
    std::int64_t n, k, first;
    __device__ void operator()(std::int64_t i) const {
        const std::int64_t row = i / k, place = places[row * n + first + i - row * k];
        indices[i] = place;
        values[i] = rows[row * n + place];
    }
};

void select(const char* op, const Tensor& values, const Tensor& indices, const Tensor& rows, bool descending,
            std::int64_t first) {
    const std::int64_t n = rows.dim() == 0 ? 1 : rows.size(-1), k = values.dim() == 0 ? 1 : values.size(-1);
    if (values.numel() == 0) return;
    const Tensor places = sort_keys(op, keys_of(op, rows, descending), n).places;
    for_size(rows, [&]<class T>() {
        for_each(op, rows.device().index(), values.numel(),
                 TakeFirst<T>{data<T>(values), data<std::int64_t>(indices), data<T>(rows), data<std::int64_t>(places),
                              n, k, first});
    });
}

void sort(const char* op, const Tensor& values, const Tensor& indices, const Tensor& rows, bool descending, bool) {
    select(op, values, indices, rows, descending, 0);
}
void topk(const Tensor& values, const Tensor& indices, const Tensor& rows, bool largest, bool) {
    select("topk", values, indices, rows, largest, 0);
}
void kthvalue(const Tensor& values, const Tensor& indices, const Tensor& rows, std::int64_t k) {
    select("kthvalue", values, indices, rows, false, k - 1);
}

[[maybe_unused]] const bool attached = [] {
    kernels::sort.set(kCUDA, &sort);
    kernels::topk.set(kCUDA, &topk);
    kernels::kthvalue.set(kCUDA, &kthvalue);
    return true;
}();

} // namespace

} // namespace reel::cuda
