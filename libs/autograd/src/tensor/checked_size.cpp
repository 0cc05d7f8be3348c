#include "tensor/checked_size.hpp"

#include <algorithm>
#include <new>

namespace reel::detail {

std::int64_t checked_add(const char* op, const char* what, std::int64_t a, std::int64_t b) {
    std::int64_t r = 0;
    REEL_CHECK_VALUE(!__builtin_add_overflow(a, b, &r), op, ": ", what, " is too large: ", a, " + ", b,
                     " does not fit 64 bits");
    return r;
}
std::int64_t checked_sub(const char* op, const char* what, std::int64_t a, std::int64_t b) {
    std::int64_t r = 0;
    REEL_CHECK_VALUE(!__builtin_sub_overflow(a, b, &r), op, ": ", what, " is too large: ", a, " - ", b,
                     " does not fit 64 bits");
    return r;
}
std::int64_t checked_mul(const char* op, const char* what, std::int64_t a, std::int64_t b) {
    std::int64_t r = 0;
    REEL_CHECK_VALUE(!__builtin_mul_overflow(a, b, &r), op, ": ", what, " is too large: ", a, " * ", b,
                     " does not fit 64 bits");
    return r;
}
std::int64_t checked_size(const char* op, const char* what, double v) {
    REEL_CHECK_VALUE(v >= 0 && v < 9223372036854775808.0, op, ": ", what, " would be ", v,
                     "; expected a number from 0 to 2^63 - 1");
    return std::int64_t(v);
}

namespace {
void check_rank(const char* op, std::size_t n) {
    REEL_CHECK_VALUE(n <= max_dims, op, ": ", n, " dimensions are too many; a tensor has at most ", max_dims);
}
} // namespace

void check_sizes(const char* op, IntArrayRef sizes, ScalarType dtype) {
    check_rank(op, sizes.size());
    bool none = false;
    for (const std::int64_t s : sizes) {
        REEL_CHECK_VALUE(s >= 0, op, ": negative dimension ", s, " in the shape ", sizes);
        none |= s == 0;
    }
    // Dims of size zero count as one: the strides of a row-major tensor are their products.
    std::int64_t n = none ? 1 : std::int64_t(elementSize(dtype));
    for (const std::int64_t s : sizes)
        REEL_CHECK_VALUE(!__builtin_mul_overflow(n, std::max<std::int64_t>(s, 1), &n), op, ": the shape ", sizes,
                         " of ", dtype_name(dtype), " takes more than 2^63 bytes");
}

std::int64_t checked_extent(const char* op, IntArrayRef sizes, IntArrayRef strides, std::int64_t offset,
                            ScalarType dtype) {
    check_rank(op, sizes.size());
    REEL_CHECK_VALUE(offset >= 0, op, ": storage_offset must not be negative, got ", offset);
    bool none = false;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        REEL_CHECK_VALUE(sizes[i] >= 0, op, ": negative dimension ", sizes[i], " in the shape ", sizes);
        REEL_CHECK_VALUE(strides[i] >= 0, op, ": negative stride ", strides[i], " in ", strides,
                         "; strides must not be negative");
        none |= sizes[i] == 0;
    }
    if (none) return 0;
    std::int64_t last = offset, step = 0, bytes = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i)
        REEL_CHECK_VALUE(
            !__builtin_mul_overflow(sizes[i] - 1, strides[i], &step) && !__builtin_add_overflow(last, step, &last), op,
            ": sizes ", sizes, " with strides ", strides, " from ", offset, " reach past 2^63 elements");
    REEL_CHECK_VALUE(!__builtin_add_overflow(last, 1, &last) &&
                         !__builtin_mul_overflow(last, std::int64_t(elementSize(dtype)), &bytes),
                     op, ": sizes ", sizes, " with strides ", strides, " from ", offset, " reach past 2^63 bytes");
    return last;
}

bool heap_has(std::size_t bytes) {
    if (bytes < std::size_t(1) << 26) return true; // not worth a question
    void* const p = ::operator new(bytes, std::nothrow);
    ::operator delete(p);
    return p != nullptr;
}

} // namespace reel::detail
