// Loaders of datasets that keep their own place.
#pragma once

#include <reel/data/dataloader/base.hpp>

namespace reel::data {

/// Takes batches of a stateful dataset until it has none; the dataset is reset when a pass begins. All workers share
/// it. Which batch comes when is decided as they ask, so `enforce_ordering` puts the batches in the order in which they
/// were asked for.
template <class Dataset>
class StatefulDataLoader
    : public DataLoaderBase<Dataset, typename Dataset::BatchType::value_type, typename Dataset::BatchRequestType> {
public:
    using super = DataLoaderBase<Dataset, typename Dataset::BatchType::value_type, typename Dataset::BatchRequestType>;
    using typename super::BatchRequestType;

    StatefulDataLoader(Dataset dataset, const DataLoaderOptions& options) : super(options, std::move(dataset)) {}

private:
    void reset() override { this->dataset_.reset(); }
    std::optional<BatchRequestType> get_batch_request() override { return this->options_.batch_size; }
    detail::WorkerPool::Work worker(std::size_t id) override {
        return [this, id](auto& job) { return this->make_batch(this->dataset_, id, job); };
    }
};

} // namespace reel::data
