// What every dataset is: batches on request, or single examples by index.
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <reel/autograd/array_ref.hpp>
#include <reel/data/example.hpp>

namespace reel::data::datasets {

template <class Source, class Transform> class MapDataset; // map.hpp

namespace detail {
template <class T> struct is_optional : std::false_type {};
template <class T> struct is_optional<std::optional<T>> : std::true_type {};
} // namespace detail

/// Base of datasets that make a whole batch from a request. `Self` implements `get_batch(request)` and `size()`.
/// Loaders with workers give each worker a copy of the dataset: copies must not share what they write.
template <class Self, class Batch = std::vector<Example<>>, class BatchRequest = ArrayRef<std::size_t>>
class BatchDataset {
public:
    using SelfType = Self;
    using BatchType = Batch;
    using BatchRequestType = BatchRequest;
    /// Its batches are optional: it keeps its place itself, and loaders take no sampler.
    static constexpr bool is_stateful = detail::is_optional<Batch>::value;

    virtual ~BatchDataset() = default;
    virtual Batch get_batch(BatchRequest request) = 0;
    /// nullopt when unknown.
    virtual std::optional<std::size_t> size() const = 0;

    /// A dataset whose batches are those of a copy of this one, sent through `transform` (transforms/).
    template <class Transform> MapDataset<Self, Transform> map(Transform transform) const& {
        return {static_cast<const Self&>(*this), std::move(transform)};
    }
    /// The same, moving this one into it.
    template <class Transform> MapDataset<Self, Transform> map(Transform transform) && {
        return {static_cast<Self&&>(*this), std::move(transform)};
    }
};

/// Base of datasets of single examples: `Self` implements `get(index)` and `size()`; a batch is a vector of examples.
template <class Self, class SingleExample = Example<>>
class Dataset : public BatchDataset<Self, std::vector<SingleExample>> {
public:
    using ExampleType = SingleExample;
    virtual ExampleType get(std::size_t index) = 0;
    /// `get` for every index.
    std::vector<ExampleType> get_batch(ArrayRef<std::size_t> indices) override {
        std::vector<ExampleType> batch;
        batch.reserve(indices.size());
        for (const std::size_t i : indices) batch.push_back(get(i));
        return batch;
    }
};

/// A stream: its request is the number of examples wanted (samplers::StreamSampler).
template <class Self, class Batch = std::vector<Example<>>>
using StreamDataset = BatchDataset<Self, Batch, /*BatchRequest=*/std::size_t>;

} // namespace reel::data::datasets

#include <reel/data/datasets/map.hpp> // IWYU pragma: export
