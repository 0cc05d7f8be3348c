// Loaders of datasets that are asked by a sampler.
#pragma once

#include <type_traits>
#include <utility>

#include <reel/data/dataloader/base.hpp>

namespace reel::data {

/// Visits `dataset` in the order of `sampler`, which is reset when a pass begins. Each worker has its own copy of the
/// dataset, made when it starts. With `enforce_ordering` the batches and their order are those of a loader without
/// workers; see `batch_generator()` for random transforms.
/// Errors: TypeError for workers and a dataset that cannot be copied.
template <class Dataset, class Sampler>
class StatelessDataLoader
    : public DataLoaderBase<Dataset, typename Dataset::BatchType, typename Sampler::BatchRequestType> {
public:
    using super = DataLoaderBase<Dataset, typename Dataset::BatchType, typename Sampler::BatchRequestType>;
    using typename super::BatchRequestType;

    StatelessDataLoader(Dataset dataset, Sampler sampler, const DataLoaderOptions& options)
        : super(options, std::move(dataset)), sampler_(std::move(sampler)) {
        REEL_CHECK_TYPE(std::is_copy_constructible_v<Dataset> || options.workers() == 0,
                        "data loader: every worker needs a copy of the dataset, which cannot be copied; share it with "
                        "make_shared_dataset, or take workers(0)");
    }
    Sampler& sampler() { return sampler_; }

private:
    void reset() override { sampler_.reset(std::nullopt); }
    std::optional<BatchRequestType> get_batch_request() override {
        auto request = sampler_.next(this->options_.batch_size);
        if (!request || (this->options_.drop_last && request->size() < this->options_.batch_size)) return std::nullopt;
        REEL_CHECK(request->size() > 0, "data loader: the sampler asked for a batch of no elements; it should return "
                                        "nullopt at the end of a pass");
        return request;
    }
    detail::WorkerPool::Work worker(std::size_t id) override {
        if constexpr (std::is_copy_constructible_v<Dataset>) {
            auto copy = std::make_shared<Dataset>(std::as_const(this->dataset_));
            return [this, id, copy](auto& job) { return this->make_batch(*copy, id, job); };
        } else return {};
    }
    Sampler sampler_;
};

} // namespace reel::data
