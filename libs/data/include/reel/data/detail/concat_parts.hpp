// The parts of datasets that stand one after the other.
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <reel/autograd/array_ref.hpp>

namespace reel::data::datasets::detail {

template <class T> struct is_vector : std::false_type {};
template <class T> struct is_vector<std::vector<T>> : std::true_type {};
/// The vector of examples that a dataset's elements make.
template <class D> struct examples_of { using type = std::vector<decltype(std::declval<D&>().get(std::size_t()))>; };
template <class D>
requires is_vector<typename D::BatchType>::value struct examples_of<D> {
    using type = typename D::BatchType;
};
/// Where each part ends. Errors: ValueError for none, or for one without a size.
std::vector<std::size_t> concat_ends(const std::vector<std::optional<std::size_t>>& sizes);
/// The part that `index` lies in. Errors: IndexError.
std::size_t concat_part(ArrayRef<std::size_t> ends, std::size_t index);

} // namespace reel::data::datasets::detail
