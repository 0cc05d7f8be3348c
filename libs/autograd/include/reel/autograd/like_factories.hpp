// The `_like` factories with the memory format as an argument of its own, as libtorch has them.
#pragma once

#include <reel/autograd/ops/factory/like.hpp>
#include <reel/autograd/ops/factory/zeros_like.hpp>
#include <reel/autograd/ops/random/sampling.hpp>

namespace reel {

namespace detail {
/// Errors: ValueError when the options hold a format, too.
TensorOptions with_memory_format(const TensorOptions& options, std::optional<MemoryFormat> format);
} // namespace detail

inline Tensor empty_like(const Tensor& input, const TensorOptions& options, std::optional<MemoryFormat> format) {
    return empty_like(input, detail::with_memory_format(options, format));
}
inline Tensor zeros_like(const Tensor& input, const TensorOptions& options, std::optional<MemoryFormat> format) {
    return zeros_like(input, detail::with_memory_format(options, format));
}
inline Tensor ones_like(const Tensor& input, const TensorOptions& options, std::optional<MemoryFormat> format) {
    return ones_like(input, detail::with_memory_format(options, format));
}
inline Tensor full_like(const Tensor& input, const Scalar& fill_value, const TensorOptions& options,
                        std::optional<MemoryFormat> format) {
    return full_like(input, fill_value, detail::with_memory_format(options, format));
}
// Beside generators an empty brace must go on meaning the options: the format decides.
inline Tensor rand_like(const Tensor& input, const TensorOptions& options, MemoryFormat format) {
    return rand_like(input, detail::with_memory_format(options, format));
}
inline Tensor randn_like(const Tensor& input, const TensorOptions& options, MemoryFormat format) {
    return randn_like(input, detail::with_memory_format(options, format));
}
inline Tensor randint_like(const Tensor& input, std::int64_t high, const TensorOptions& options, MemoryFormat format) {
    return randint_like(input, high, detail::with_memory_format(options, format));
}
inline Tensor randint_like(const Tensor& input, std::int64_t low, std::int64_t high, const TensorOptions& options,
                           MemoryFormat format) {
    return randint_like(input, low, high, detail::with_memory_format(options, format));
}

} // namespace reel
