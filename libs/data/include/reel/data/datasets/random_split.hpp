// A dataset cut at random into parts.
#pragma once

#include <initializer_list>

#include <reel/autograd/generator.hpp>
#include <reel/data/datasets/subset.hpp>

namespace reel::data::datasets {

namespace detail {
std::vector<std::vector<std::size_t>> random_parts(std::optional<std::size_t> size,
                                                   const std::vector<std::size_t>& lengths,
                                                   const std::optional<Generator>& generator);
std::vector<std::vector<std::size_t>> random_parts(std::optional<std::size_t> size,
                                                   const std::vector<double>& fractions,
                                                   const std::optional<Generator>& generator);
} // namespace detail

/// Subsets of the given lengths without common elements, drawn with one `randperm` of `generator` (or the default
/// one), as `torch.utils.data.random_split` draws them. The lengths are whole numbers that sum to the dataset's size,
/// or fractions that sum to 1: what rounding down leaves over is dealt out from the first part on.
/// Errors: ValueError for lengths that do not sum to the size, fractions that are negative or sum to something else,
/// and datasets without a size.
template <class D, class Length>
std::vector<Subset<D>> random_split(const D& dataset, const std::vector<Length>& lengths,
                                    const std::optional<Generator>& generator = std::nullopt) {
    using Number = std::conditional_t<std::is_floating_point_v<Length>, double, std::size_t>;
    auto parts = detail::random_parts(dataset.size(), std::vector<Number>(lengths.begin(), lengths.end()), generator);
    std::vector<Subset<D>> r;
    r.reserve(parts.size());
    for (auto& part : parts) r.emplace_back(dataset, std::move(part));
    return r;
}
template <class D, class Length>
std::vector<Subset<D>> random_split(const D& dataset, std::initializer_list<Length> lengths,
                                    const std::optional<Generator>& generator = std::nullopt) {
    return random_split(dataset, std::vector<Length>(lengths), generator);
}

} // namespace reel::data::datasets
namespace reel::data {
using datasets::random_split;
}
