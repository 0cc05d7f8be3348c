// What loaders of all kinds do.
#pragma once

#include <memory>
#include <thread>
#include <vector>

#include <reel/autograd/error.hpp>
#include <reel/autograd/thread_limit.hpp>
#include <reel/data/dataloader_options.hpp>
#include <reel/data/detail/shuttle.hpp>
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

    /// Starts a pass. Errors: Error while an iterator of an earlier pass is there that has not reached the end.
    Iterator<Batch> begin() {
        const auto earlier = pass_.lock();
        REEL_CHECK(!earlier || !earlier->in_flight(),
                   "data loader: Attempted to get a new DataLoader iterator while another iterator is not yet "
                   "exhausted; finish its pass, let the iterator go, or call join() first");
        shuttle_.drain();
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
        shuttle_.quit();
        for (std::thread& worker : workers_) worker.join();
        workers_.clear();
        shuttle_.reopen();
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
    using Job = typename detail::Shuttle<BatchRequest, Batch>::Job;

    /// What the next batch is to be made of; nullopt when the pass is over.
    virtual std::optional<BatchRequest> get_batch_request() = 0;
    /// Prepares a pass.
    virtual void reset() = 0;
    /// Starts worker `id`, which calls `work_with`.
    virtual std::thread start_worker(std::size_t id) = 0;

    void work_with(Dataset& dataset, std::size_t id) {
        const ThreadLimit one(1);
        shuttle_.work([&](Job& job) -> std::optional<Batch> {
            const detail::BatchScope scope(id, options_.workers, detail::batch_seed(seed_, job.number));
            return dataset.get_batch(std::move(job.request));
        });
    }
    FullDataLoaderOptions options_;
    Dataset dataset_;

private:
    void start_workers() {
        try {
            while (workers_.size() < options_.workers) workers_.push_back(start_worker(workers_.size()));
        } catch (...) {
            join();
            throw;
        }
    }
    void prefetch() {
        if (auto request = get_batch_request()) shuttle_.push({requested_++, std::move(*request)});
    }
    std::optional<Batch> next_batch() override {
        if (options_.workers == 0) {
            auto request = get_batch_request();
            if (!request) return std::nullopt;
            const detail::BatchScope scope(0, 0, detail::batch_seed(seed_, requested_++));
            return dataset_.get_batch(std::move(*request));
        }
        while (auto result = shuttle_.pop(options_.enforce_ordering, options_.timeout)) {
            if (result->error || result->batch) prefetch();
            if (result->error) throw WorkerException(result->error);
            if (result->batch) return std::move(result->batch);
        }
        return std::nullopt;
    }
    void pass_abandoned() override { shuttle_.abandon(); }

    detail::Shuttle<BatchRequest, Batch> shuttle_;
    std::vector<std::thread> workers_;
    std::weak_ptr<detail::Pass<Batch>> pass_;
    std::uint64_t seed_ = 0, passes_ = 0; ///< written while no worker has a job
    std::size_t requested_ = 0;
};

} // namespace reel::data
