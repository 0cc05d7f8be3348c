// Arithmetic on sizes: what does not fit is refused by name before anything is allocated.
#pragma once

#include <limits>

#include <reel/autograd/array_ref.hpp>
#include <reel/autograd/dtype.hpp>
#include <reel/autograd/error.hpp>

namespace reel::detail {

/// The most dimensions a tensor may have; fixed buffers of the kernels count on it.
inline constexpr std::size_t max_dims = 64;

/// a + b, a - b, a * b; ValueError "`op`: `what` ..." with both numbers when the result does not fit int64.
std::int64_t checked_add(const char* op, const char* what, std::int64_t a, std::int64_t b);
std::int64_t checked_sub(const char* op, const char* what, std::int64_t a, std::int64_t b);
std::int64_t checked_mul(const char* op, const char* what, std::int64_t a, std::int64_t b);
/// `v` as a size; ValueError when it is negative, NaN or too large for int64.
std::int64_t checked_size(const char* op, const char* what, double v);
/// ValueError unless there are at most `max_dims`, none negative, and the bytes of all elements fit int64.
void check_sizes(const char* op, IntArrayRef sizes, ScalarType dtype);
/// Elements from the storage's start to behind the last one that the geometry shows; zero for none. ValueError for a
/// negative size, stride or offset, and when it does not fit.
std::int64_t checked_extent(const char* op, IntArrayRef sizes, IntArrayRef strides, std::int64_t offset,
                            ScalarType dtype);

/// Whether the host's heap would give so much at once.
bool heap_has(std::size_t bytes);
/// Room for `n` entries; OutOfMemoryError when there is none. For tables of the host that arguments size.
template <class Table> void checked_reserve(const char* op, const char* what, Table& table, std::int64_t n) {
    if (n <= 0) return;
    // Asked first, since not every operator new throws: that of AddressSanitizer ends the program.
    constexpr std::int64_t bytes = sizeof(*table.data()), most = std::numeric_limits<std::int64_t>::max() / bytes;
    if (n > most || !heap_has(std::size_t(n * bytes)))
        REEL_THROW(OutOfMemoryError, op, ": there is no memory for ", what, " of ", n, " entries");
    table.reserve(std::size_t(n));
}

} // namespace reel::detail
