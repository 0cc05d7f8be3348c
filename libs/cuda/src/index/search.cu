// Looking elements up: bisection, places of what is not zero, groups of equal rows.
#include <reel/autograd/kernels/search.hpp>

#include <complex>

#include "dispatch.cuh"
#include "for_each.cuh"
#include "primitives.hpp"

namespace reel::cuda {

namespace {

Tensor numbers(const Tensor& like, IntArrayRef sizes) { return like.new_empty(sizes, kLong); }

template <class T> struct Bisect {
    std::int64_t* out;
    const T *sequence, *values;
    const std::int64_t* order; // or null
    std::int64_t length, per_row;
    bool one_row, right;
    __device__ void operator()(std::int64_t i) const {
        const std::int64_t row = one_row ? 0 : i / per_row * length;
        const compute_t<T> value = compute_t<T>(values[i]);
        std::int64_t low = 0, high = length;
        while (low < high) {
            const std::int64_t middle = low + (high - low) / 2;
            const compute_t<T> m = compute_t<T>(sequence[row + (order ? order[row + middle] : middle)]);
            if (right ? m > value : m >= value) high = middle;
            else low = middle + 1;
        }
        out[i] = low;
    }
};

void searchsorted(const char* op, const Tensor& out, const Tensor& sequence, const Tensor& values, const Tensor& order,
                  bool right) {
    const std::int64_t per_row = values.dim() == 0 || values.size(-1) == 0 ? 1 : values.size(-1);
    dispatch(RealTypes(), op, values, [&]<class T>() {
        for_each(op, out.device().index(), values.numel(),
                 Bisect<T>{data<std::int64_t>(out), data<T>(sequence), data<T>(values),
                           data_or_null<std::int64_t>(order), sequence.size(-1), per_row, sequence.dim() == 1, right});
    });
}

/// Does a key occur among sorted ones? The greatest is that of NaN, which equals nothing.
struct Occurs {
    bool* out;
    const std::uint64_t *elements, *sorted;
    std::int64_t n;
    bool whole, invert; // whole numbers: the greatest key is a number's
    __device__ void operator()(std::int64_t i) const {
        const std::uint64_t key = elements[i];
        std::int64_t low = 0, high = n;
        while (low < high) {
            const std::int64_t middle = low + (high - low) / 2;
            if (sorted[middle] >= key) high = middle;
            else low = middle + 1;
        }
        const bool nan = !whole && key == ~std::uint64_t(0);
        out[i] = (low < n && sorted[low] == key && !nan) != invert;
    }
};

void isin(const Tensor& out, const Tensor& elements, const Tensor& among, bool invert) {
    const SortedKeys sorted = sort_keys("isin", keys_of("isin", among, false), among.numel());
    const Tensor keys = keys_of("isin", elements, false);
    for_each("isin", out.device().index(), elements.numel(),
             Occurs{data<bool>(out), data<std::uint64_t>(keys), data<std::uint64_t>(sorted.keys), among.numel(),
                    isIntegralType(elements.scalar_type(), true), invert});
}

template <class T> struct NotZero {
    Strided<1> g;
    const T* from;
    std::int64_t* to;
    __device__ void operator()(std::int64_t i) const {
        std::int64_t at[1];
        g.offsets(i, at);
        to[i] = from[at[0]] != T(0);
    }
};

/// What `before[i]` counts up to is the number of the row.
struct Coordinates {
    Strided<1> shape; // of the input as it is, not collapsed
    const std::int64_t* before;
    std::int64_t* rows;
    std::int64_t limit;
    __device__ void operator()(std::int64_t i) const {
        const std::int64_t row = before[i] - 1;
        if (row == (i > 0 ? before[i - 1] - 1 : -1) || row >= limit) return; // a zero, or beyond the last
        std::int64_t rest = i;
        for (int d = shape.dims - 1; d >= 0; --d) {
            const std::int64_t up = rest / shape.sizes[d];
            rows[row * shape.dims + d] = rest - up * shape.sizes[d];
            rest = up;
        }
    }
};

Tensor nonzero(const char* op, const Tensor& input, std::int64_t limit) {
    const Tensor counts = numbers(input, {input.numel()});
    const Tensor* const one[] = {&input};
    const auto g = strided(op, input.sizes(), one);
    const DeviceIndex index = input.device().index();
    dispatch(AllTypes(), op, input, [&]<class T>() {
        for_each(op, index, g.numel, NotZero<T>{g, data<T>(input), data<std::int64_t>(counts)});
    });
    running_sums(op, counts);
    std::int64_t found = last_of(op, counts);
    if (limit >= 0 && limit < found) found = limit;
    const Tensor out = numbers(input, {found, input.dim()});
    Strided<1> shape;
    REEL_CHECK_NOT_IMPLEMENTED(input.dim() <= max_dims, op, ": the cuda kernel takes at most ", max_dims,
                               " dimensions, got shape ", input.sizes());
    for (const std::int64_t size : input.sizes()) shape.sizes[shape.dims++] = size;
    for_each(op, index, g.numel, Coordinates{shape, data<std::int64_t>(counts), data<std::int64_t>(out), found});
    return out;
}

/// The keys of one column, of the rows in the order that they have so far.
struct ColumnInOrder {
    const std::int64_t *keys, *order;
    std::int64_t* to;
    std::int64_t length, column;
    __device__ void operator()(std::int64_t i) const { to[i] = keys[order[i] * length + column]; }
};
struct Reorder {
    const std::int64_t *order, *places;
    std::int64_t* to;
    __device__ void operator()(std::int64_t i) const { to[i] = order[places[i]]; }
};
struct Count {
    std::int64_t* to;
    __device__ void operator()(std::int64_t i) const { to[i] = i; }
};
/// Does row order[i] start a group? NaN equals nothing.
template <class T> struct Starts {
    const T* rows;
    const std::int64_t* order;
    std::int64_t* to;
    std::int64_t length;
    __device__ void operator()(std::int64_t i) const {
        bool starts = i == 0;
        for (std::int64_t k = 0; k < length && !starts; ++k)
            starts = !(rows[order[i] * length + k] == rows[order[i - 1] * length + k]);
        to[i] = starts;
    }
};
/// From the number of each row's group, from one, in order: where it starts, and whose each row is.
struct Groups {
    const std::int64_t *group, *order;
    std::int64_t *first, *start, *inverse;
    __device__ void operator()(std::int64_t i) const {
        const std::int64_t g = group[i] - 1;
        inverse[order[i]] = g;
        if (i > 0 && group[i - 1] - 1 == g) return;
        first[g] = order[i];
        start[g] = i;
    }
};
struct Lengths {
    const std::int64_t* start;
    std::int64_t* counts;
    std::int64_t groups, n;
    __device__ void operator()(std::int64_t g) const { counts[g] = (g + 1 < groups ? start[g + 1] : n) - start[g]; }
};

/// The rows' lexicographic order: stable by each column, the last one first.
Tensor ordered(const char* op, const Tensor& rows, Tensor order) {
    const std::int64_t n = rows.size(0), length = rows.size(1);
    const DeviceIndex index = rows.device().index();
    const Tensor keys = keys_of(op, rows, false);
    for (std::int64_t column = length; column-- > 0;) {
        const Tensor one = numbers(rows, {n}), next = numbers(rows, {n});
        for_each(op, index, n,
                 ColumnInOrder{data<std::int64_t>(keys), data<std::int64_t>(order), data<std::int64_t>(one), length,
                               column});
        const Tensor places = sort_keys(op, one, n).places;
        for_each(op, index, n,
                 Reorder{data<std::int64_t>(order), data<std::int64_t>(places), data<std::int64_t>(next)});
        order = next;
    }
    return order;
}

DistinctRows unique(const char* op, const Tensor& rows, bool sort) {
    REEL_CHECK_NOT_IMPLEMENTED(!sort || !rows.is_complex(), op, ": complex numbers have no order");
    const std::int64_t n = rows.size(0), length = rows.size(1);
    const DeviceIndex index = rows.device().index();
    Tensor order = numbers(rows, {n});
    for_each(op, index, n, Count{data<std::int64_t>(order)});
    if (sort) order = ordered(op, rows, order);
    const Tensor group = numbers(rows, {n});
    dispatch(AllTypes(), op, rows, [&]<class T>() {
        for_each(op, index, n, Starts<T>{data<T>(rows), data<std::int64_t>(order), data<std::int64_t>(group), length});
    });
    running_sums(op, group);
    const std::int64_t groups = last_of(op, group);
    const DistinctRows found{numbers(rows, {groups}), numbers(rows, {n}), numbers(rows, {groups})};
    const Tensor start = numbers(rows, {groups});
    for_each(op, index, n,
             Groups{data<std::int64_t>(group), data<std::int64_t>(order), data<std::int64_t>(found.first),
                    data<std::int64_t>(start), data<std::int64_t>(found.inverse)});
    for_each(op, index, groups, Lengths{data<std::int64_t>(start), data<std::int64_t>(found.counts), groups, n});
    return found;
}

[[maybe_unused]] const bool attached = [] {
    kernels::searchsorted.set(kCUDA, &searchsorted);
    kernels::isin.set(kCUDA, &isin);
    kernels::nonzero.set(kCUDA, &nonzero);
    kernels::unique.set(kCUDA, &unique);
    return true;
}();

} // namespace

} // namespace reel::cuda
