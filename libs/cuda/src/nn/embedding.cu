// Rows of tables: their norms, and bags of them.
#include <reel/autograd/kernels/embedding.hpp>

#include <cmath>
#include <cstring>

#include <reel/autograd/ops/factory/empty.hpp>

#include "atomic.cuh"
#include "dispatch.cuh"
#include "for_each.cuh"

namespace reel::cuda {

namespace {

/// A dense copy of host numbers beside `like`.
template <class T> Tensor copied(const std::vector<T>& from, const Tensor& like) {
    const Tensor here = reel::empty({std::int64_t(from.size())}, TensorOptions(dtype_of<T>));
    std::memcpy(here.data_ptr(), from.data(), from.size() * sizeof(T));
    return here.to(like.device());
}
void clear(const char* op, const Tensor& t) {
    if (t.numel() == 0) return;
    const DeviceGuard guard(t.device().index());
    check(cudaMemsetAsync(t.data_ptr(), 0, std::size_t(t.numel()) * t.itemsize(), raw_stream(t.device().index())), op);
}

struct Mark {
    const std::int64_t* rows;
    int* named;
    __device__ void operator()(std::int64_t i) const { atomicExch(named + rows[i], 1); }
};
/// A thread for each row of the table.
template <class T> struct Renorm {
    T* weight;
    const int* named;
    std::int64_t n, row_step, step;
    double most, p;
    __device__ void operator()(std::int64_t r) const {
        if (!named[r]) return;
        T* const row = weight + r * row_step;
        double norm = 0;
        for (std::int64_t j = 0; j < n; ++j) {
            const double v = std::fabs(double(compute_t<T>(row[j * step])));
            norm = std::isinf(p) ? std::fmax(norm, v) : norm + std::pow(v, p);
        }
        if (!std::isinf(p)) norm = std::pow(norm, 1 / p);
        if (norm <= most) return;
        const double scale = most / (norm + 1e-7);
        for (std::int64_t j = 0; j < n; ++j)
            row[j * step] = T(compute_t<T>(double(compute_t<T>(row[j * step])) * scale));
    }
};
void embedding_renorm(const Tensor& weight, const Tensor& rows, double max_norm, double norm_type) {
    const DeviceIndex index = weight.device().index();
    const Tensor named = weight.new_empty({weight.size(0)}, kInt);
    clear("embedding", named);
    for_each("embedding", index, rows.numel(), Mark{data<std::int64_t>(rows), data<int>(named)});
    dispatch(FloatingTypes(), "embedding", weight, [&]<class T>() {
        for_each("embedding", index, weight.size(0),
                 Renorm<T>{data<T>(weight), data<int>(named), weight.size(1), weight.stride(0), weight.stride(1),
                           max_norm, norm_type});
    });
}

/// What all threads read of the bags.
struct Bags {
    const std::int64_t *rows, *start, *sizes;
    std::int64_t width, padding;
    bool mean;
};
template <class T> struct BagSums {
    using A = compute_t<T>;
    Bags b;
    T* out;
    const T* table;
    const A* scale;
    __device__ void operator()(std::int64_t i) const {
        const std::int64_t bag = i / b.width, c = i - bag * b.width;
        A sum = A(0);
        for (std::int64_t k = b.start[bag]; k < b.start[bag + 1]; ++k)
            if (b.rows[k] != b.padding) sum += (scale ? scale[k] : A(1)) * A(table[b.rows[k] * b.width + c]);
        const A n = b.mean ? A(b.sizes[bag] > 1 ? b.sizes[bag] : 1) : A(1);
        out[i] = T(sum / n);
    }
};
template <class T> struct Greatest {
    Bags b;
    T* out;
    std::int64_t* best;
    const T* table;
    __device__ void operator()(std::int64_t i) const {
        const std::int64_t bag = i / b.width, c = i - bag * b.width;
        std::int64_t row = -1;
        T most = T(compute_t<T>(0));
        for (std::int64_t k = b.start[bag]; k < b.start[bag + 1]; ++k) {
            if (b.rows[k] == b.padding) continue;
            const T v = table[b.rows[k] * b.width + c];
            if (row >= 0 && !(compute_t<T>(v) > compute_t<T>(most))) continue;
            row = b.rows[k];
            most = v;
        }
        out[i] = most;
        best[i] = row;
    }
};
/// A thread for each column of each place; rows may occur in several bags.
template <class T> struct ToTable {
    using A = compute_t<T>;
    Bags b;
    A* table;
    const T* grad;
    const std::int64_t* bag_of;
    const double* factors;
    const A* scale;
    __device__ void operator()(std::int64_t i) const {
        const std::int64_t k = i / b.width, c = i - k * b.width;
        if (b.rows[k] == b.padding) return;
        const A f = A(factors[k]) * (scale ? scale[k] : A(1));
        atomic_add(table + b.rows[k] * b.width + c, f * A(grad[bag_of[k] * b.width + c]));
    }
};
template <class T> struct ToScale {
    using A = compute_t<T>;
    Bags b;
    T* grad_scale;
    const T *grad, *table;
    const std::int64_t* bag_of;
    __device__ void operator()(std::int64_t k) const {
        A sum = A(0);
        if (b.rows[k] != b.padding)
            for (std::int64_t c = 0; c < b.width; ++c)
                sum += A(grad[bag_of[k] * b.width + c]) * A(table[b.rows[k] * b.width + c]);
        grad_scale[k] = T(sum);
    }
};

/// The bags' host numbers on the device, while a call lasts.
struct BagsThere {
    Tensor start, sizes, bag_of;
    Bags bags;
    BagsThere(const EmbeddingBags& b, const Tensor& like)
        : start(copied(b.start, like)), sizes(copied(b.sizes, like)), bags{data<std::int64_t>(b.rows),
                                                                           data<std::int64_t>(start),
                                                                           data<std::int64_t>(sizes),
                                                                           b.width,
                                                                           b.padding,
                                                                           b.mean} {}
    const std::int64_t* bag_of_places(const EmbeddingBags& b, const Tensor& like) {
        std::vector<std::int64_t> bag(std::size_t(b.places()));
        for (std::int64_t i = 0; i < b.count(); ++i)
            for (std::int64_t k = b.start[std::size_t(i)]; k < b.start[std::size_t(i) + 1]; ++k)
                bag[std::size_t(k)] = i;
        bag_of = copied(bag, like);
        return data<std::int64_t>(bag_of);
    }
};
constexpr const char* bag_op = "embedding_bag";

void embedding_bag(const EmbeddingBags& b, const Tensor& out, const Tensor& weight, const Tensor& scale) {
    const BagsThere there(b, out);
    dispatch(FloatingTypes(), bag_op, weight, [&]<class T>() {
        for_each(bag_op, out.device().index(), out.numel(),
                 BagSums<T>{there.bags, data<T>(out), data<T>(weight), data_or_null<compute_t<T>>(scale)});
    });
}
void embedding_bag_max(const EmbeddingBags& b, const Tensor& out, const Tensor& best, const Tensor& weight) {
    const BagsThere there(b, out);
    dispatch(FloatingTypes(), bag_op, weight, [&]<class T>() {
        for_each(bag_op, out.device().index(), out.numel(),
                 Greatest<T>{there.bags, data<T>(out), data<std::int64_t>(best), data<T>(weight)});
    });
}
void embedding_bag_backward(const EmbeddingBags& b, const Tensor& grad_weight, const Tensor& grad,
                            const std::vector<double>& factors, const Tensor& scale) {
    BagsThere there(b, grad);
    const std::int64_t* const bag_of = there.bag_of_places(b, grad);
    const Tensor by_place = copied(factors, grad);
    clear(bag_op, grad_weight);
    dispatch(FloatingTypes(), bag_op, grad, [&]<class T>() {
        for_each(bag_op, grad.device().index(), b.places() * b.width,
                 ToTable<T>{there.bags, data<compute_t<T>>(grad_weight), data<T>(grad), bag_of, data<double>(by_place),
                            data_or_null<compute_t<T>>(scale)});
    });
}
void embedding_bag_scale_backward(const EmbeddingBags& b, const Tensor& grad_scale, const Tensor& grad,
                                  const Tensor& weight) {
    BagsThere there(b, grad);
    const std::int64_t* const bag_of = there.bag_of_places(b, grad);
    dispatch(FloatingTypes(), bag_op, grad, [&]<class T>() {
        for_each(bag_op, grad.device().index(), b.places(),
                 ToScale<T>{there.bags, data<T>(grad_scale), data<T>(grad), data<T>(weight), bag_of});
    });
}

[[maybe_unused]] const bool attached = [] {
    kernels::embedding_renorm.set(kCUDA, &embedding_renorm);
    kernels::embedding_bag.set(kCUDA, &embedding_bag);
    kernels::embedding_bag_max.set(kCUDA, &embedding_bag_max);
    kernels::embedding_bag_backward.set(kCUDA, &embedding_bag_backward);
    kernels::embedding_bag_scale_backward.set(kCUDA, &embedding_bag_scale_backward);
    return true;
}();

} // namespace

} // namespace reel::cuda
