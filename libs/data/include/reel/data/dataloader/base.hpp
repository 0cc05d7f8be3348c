// What loaders of all kinds do.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include <reel/autograd/error.hpp>
#include <reel/data/dataloader_options.hpp>
#include <reel/data/detail/batch_scope.hpp>
#include <reel/data/detail/pinned.hpp>
#include <reel/data/detail/worker_pool.hpp>
#include <reel/data/iterator.hpp>
#include <reel/data/worker_exception.hpp>
#include <reel/data/worker_info.hpp>

namespace reel::data {

/// Makes batches of a dataset, on the caller's thread or on worker threads ahead of time: `for (auto& batch :
/// *loader)`. Each `begin()` starts a pass. It belongs to one thread. Workers start with the first pass and end with
/// the loader, also in the middle of a pass; each of them computes with one thread (`ThreadLimit`).
template <class Dataset, class Batch, class BatchRequest> class DataLoaderBase : private detail::BatchSource<Batch> {
public:
    using BatchType = Batch;
    using BatchRequestType = BatchRequest;

    virtual ~DataLoaderBase() { join(); }
    DataLoaderBase(const DataLoaderBase&) = delete;

    /// Starts a pass. Without workers it takes the place of one that is on its way, whose iterators keep their batch
    /// and cannot be moved. Errors: with workers, Error while an iterator of an earlier pass is there that has not
    /// reached the end.
    Iterator<Batch> begin() {
        const auto earlier = pass_.lock();
        if (earlier && options_.workers == 0) earlier->replace();
        REEL_CHECK(!earlier || !earlier->in_flight(),
                   "data loader: Attempted to get a new DataLoader iterator while another iterator is not yet "
                   "exhausted; finish its pass, let the iterator go, or call join() first");
        pool_.drain();
        reset();
        seed_ = detail::pass_seed(passes_++);
        requested_ = 0;
        if (options_.workers > 0) {
            start_workers();
            for (std::size_t i = 0; i < options_.max_jobs; ++i) prefetch();
        }
        const auto pass = std::make_shared<detail::Pass<Batch>>(static_cast<detail::BatchSource<Batch>&>(*this));
        pass_ = pass;
        return Iterator<Batch>(pass);
    }
    Iterator<Batch> end() { return {}; }
    /// Ends the pass and the worker threads, waiting for the batches that they are making. A later `begin()` starts
    /// them anew.
    void join() {
        if (const auto pass = pass_.lock()) pass->close();
        pool_.join();
    }
    const FullDataLoaderOptions& options() const noexcept { return options_; }
    /// The dataset itself; workers of stateless loaders have copies.
    Dataset& dataset() { return dataset_; }

protected:
    /// Errors: ValueError for a batch size of 0, or no jobs for workers.
    DataLoaderBase(const DataLoaderOptions& options, Dataset dataset)
        : options_(options), dataset_(std::move(dataset)) {
        REEL_CHECK_VALUE(options_.batch_size > 0, "data loader: batch_size must be positive");
        REEL_CHECK_VALUE(options_.workers == 0 || options_.max_jobs > 0, "data loader: max_jobs is 0, so the ",
                         options_.workers, " workers would never get a job; leave it out or make it positive");
    }
    /// What the next batch is to be made of; nullopt when the pass is over.
    virtual std::optional<BatchRequest> get_batch_request() = 0;
    /// Prepares a pass.
    virtual void reset() = 0;
    /// What worker `id` does: `make_batch` of the dataset or of a copy.
    virtual detail::WorkerPool::Work worker(std::size_t id) = 0;

    std::shared_ptr<void> make_batch(Dataset& dataset, std::size_t id, detail::WorkerPool::Job& job) const {
        const detail::BatchScope scope(id, options_.workers, detail::batch_seed(seed_, job.number));
        std::optional<Batch> batch = batch_of(dataset, std::move(*static_cast<BatchRequest*>(job.request.get())));
        return batch ? std::make_shared<Batch>(std::move(*batch)) : nullptr;
    }
    FullDataLoaderOptions options_;
    Dataset dataset_;

private:
    std::optional<Batch> batch_of(Dataset& dataset, BatchRequest request) const {
        std::optional<Batch> batch = dataset.get_batch(std::move(request));
        if (batch && options_.pin_memory) detail::pin(*batch);
        return batch;
    }
    void start_workers() {
        try {
            while (pool_.size() < options_.workers) pool_.start(worker(pool_.size()));
        } catch (...) {
            join();
            throw;
        }
    }
    void prefetch() {
        if (auto request = get_batch_request())
            pool_.push({requested_++, std::make_shared<BatchRequest>(std::move(*request))});
    }
    std::optional<Batch> next_batch() override {
        if (options_.workers == 0) {
            auto request = get_batch_request();
            if (!request) return std::nullopt;
            const detail::BatchScope scope(0, 0, detail::batch_seed(seed_, requested_++));
            return batch_of(dataset_, std::move(*request));
        }
        std::optional<std::int64_t> timeout;
        if (options_.timeout) timeout = options_.timeout->count();
        while (auto result = pool_.pop(options_.enforce_ordering, timeout)) {
            if (result->error || result->batch) prefetch();
            if (result->error) throw WorkerException(result->error);
            if (result->batch) return std::move(*static_cast<Batch*>(result->batch.get()));
        }
        return std::nullopt;
    }
    void pass_abandoned() override { pool_.abandon(); }

    detail::WorkerPool pool_;
    std::weak_ptr<detail::Pass<Batch>> pass_;
    std::uint64_t seed_ = 0, passes_ = 0; ///< written while no worker has a job
    std::size_t requested_ = 0;
};

} // namespace reel::data
