// Loaders: batches of a dataset in a sampler's order.
#pragma once

#include <concepts>
#include <memory>
#include <utility>

#include <reel/data/dataloader/stateful.hpp>
#include <reel/data/dataloader/stateless.hpp>
#include <reel/data/dataset.hpp>
#include <reel/data/samplers/random.hpp>
#include <reel/data/samplers/sequential.hpp>

namespace reel::data {

namespace detail {
template <class S>
concept IsSampler = requires {
    typename S::BatchRequestType;
}
&&std::derived_from<S, samplers::Sampler<typename S::BatchRequestType>>;
} // namespace detail

/// A loader over `dataset` in the order of `sampler`.
template <class Dataset, class Sampler>
requires(!Dataset::is_stateful && detail::IsSampler<Sampler>)
    std::unique_ptr<StatelessDataLoader<Dataset, Sampler>> make_data_loader(Dataset dataset, Sampler sampler,
                                                                            DataLoaderOptions options = {}) {
    return std::make_unique<StatelessDataLoader<Dataset, Sampler>>(std::move(dataset), std::move(sampler), options);
}
/// The same with a sampler of the given class (random by default) over the dataset's size.
/// Errors: Error for a dataset of unknown size.
template <class Sampler = samplers::RandomSampler, class Dataset>
requires(!Dataset::is_stateful && detail::IsSampler<Sampler> && std::constructible_from<Sampler, std::size_t>)
    std::unique_ptr<StatelessDataLoader<Dataset, Sampler>> make_data_loader(Dataset dataset,
                                                                            DataLoaderOptions options = {}) {
    const std::optional<std::size_t> size = dataset.size();
    REEL_CHECK(size, "make_data_loader: Expected the dataset to be sized in order to construct the Sampler; give a "
                     "sampler (samplers::StreamSampler for streams)");
    return make_data_loader(std::move(dataset), Sampler(*size), options);
}
/// A loader over a dataset that keeps its own place.
template <class Dataset>
requires(Dataset::is_stateful) std::unique_ptr<StatefulDataLoader<Dataset>> make_data_loader(
    Dataset dataset, DataLoaderOptions options = {}) {
    return std::make_unique<StatefulDataLoader<Dataset>>(std::move(dataset), options);
}

} // namespace reel::data
