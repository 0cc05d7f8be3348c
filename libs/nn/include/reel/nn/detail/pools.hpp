// The work of pooling layers, by their options.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include <reel/autograd/tensor.hpp>

namespace reel::nn {

template <std::size_t D> struct MaxPoolOptions;
template <std::size_t D> struct AvgPoolOptions;
template <std::size_t D> struct AdaptivePoolOptions;
template <std::size_t D> struct LPPoolOptions;
template <std::size_t D> struct MaxUnpoolOptions;

namespace detail {
template <std::size_t D>
Tensor max_unpool(const MaxUnpoolOptions<D>& o, const Tensor& input, const Tensor& indices,
                  const std::optional<std::vector<std::int64_t>>& output_size);
template <std::size_t D> Tensor lp_pool(const LPPoolOptions<D>& o, const Tensor& input);
/// Parts of the maximum pools that do not depend on the class.
template <std::size_t D> std::tuple<Tensor, Tensor> max_pool(const MaxPoolOptions<D>& o, const Tensor& input);
template <std::size_t D> Tensor avg_pool(const AvgPoolOptions<D>& o, const Tensor& input);
template <std::size_t D>
std::tuple<Tensor, Tensor> adaptive_max_pool(const AdaptivePoolOptions<D>& o, const Tensor& input);
template <std::size_t D> Tensor adaptive_avg_pool(const AdaptivePoolOptions<D>& o, const Tensor& input);
} // namespace detail

} // namespace reel::nn
