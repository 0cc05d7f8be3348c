// Loops over the rows of dense tensors, for the functions of this folder.
#pragma once

#include <algorithm>
#include <vector>

#include <reel/autograd/parallel.hpp>
#include <reel/autograd/tensor.hpp>

namespace reel::nn::norms {

/// Can plain loops work on `x` with these other operands? Others take the way over the library's ops.
inline bool loops_take(const Tensor& x, std::initializer_list<const Tensor*> others) {
    const ScalarType dtype = x.scalar_type();
    const auto plain = [dtype](const Tensor& t) {
        return t.scalar_type() == dtype && t.device() == Device(kCPU) && !t.is_meta();
    };
    if ((dtype != kFloat && dtype != kDouble) || !plain(x) || x.numel() == 0) return false;
    return std::all_of(others.begin(), others.end(), [&](const Tensor* t) { return !t->defined() || plain(*t); });
}

/// `fn(T())` with the element type of a float32 or float64 tensor.
template <class F> auto with_element_of(const Tensor& x, F&& fn) {
    return x.scalar_type() == kDouble ? fn(double()) : fn(float());
}

/// Calls `fn(first, last)` on ranges of rows of `width` elements, over the threads.
template <class F> void for_rows(std::int64_t rows, std::int64_t width, F&& fn) {
    parallel_for(0, rows, std::max<std::int64_t>(1, 16384 / width), fn);
}

/// Sums that every row adds to: `fn(first, last, sums)` adds those of a range of rows to `count` sums. The ranges do
/// not depend on the number of threads, so neither do the sums.
template <class F>
std::vector<double> sums_over_rows(std::int64_t rows, std::int64_t width, std::size_t count, F&& fn) {
    const std::int64_t step = std::max<std::int64_t>(1, 16384 / width), ranges = (rows + step - 1) / step;
    std::vector<double> partial(std::size_t(ranges) * count);
    parallel_for(0, ranges, 1, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i)
            fn(i * step, std::min(rows, (i + 1) * step), partial.data() + std::size_t(i) * count);
    });
    for (std::size_t i = count; i < partial.size(); ++i) partial[i % count] += partial[i];
    partial.resize(count);
    return partial;
}

/// `[count]` sums in the dtype T of `like`.
template <class T> Tensor tensor_of(const double* sums, std::int64_t count, const Tensor& like) {
    Tensor r = like.new_empty({count});
    std::copy_n(sums, count, r.data_ptr<T>());
    return r;
}

} // namespace reel::nn::norms
