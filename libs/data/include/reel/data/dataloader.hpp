// Loaders: batches of a dataset in a sampler's order.
#pragma once

#include <iterator>
#include <memory>
#include <optional>

#include <reel/autograd/error.hpp>
#include <reel/data/dataset.hpp>
#include <reel/data/sampler.hpp>

namespace reel::data {

class DataLoaderOptions {
public:
    DataLoaderOptions(std::size_t batch_size = 1) : batch_size_(batch_size) {}
    std::size_t batch_size() const { return batch_size_; }
    bool drop_last() const { return drop_last_; }
    DataLoaderOptions& batch_size(std::size_t n) { return batch_size_ = n, *this; }
    /// Leaves out a last batch that is not full.
    DataLoaderOptions& drop_last(bool b) { return drop_last_ = b, *this; }

private:
    std::size_t batch_size_;
    bool drop_last_ = false;
};

/// Iterates over batches on the caller's thread: `for (auto& batch : *loader)`. Each `begin()` starts a new pass.
/// Errors: Error for a second `begin()` while a pass is under way, and for reading or moving an exhausted iterator.
template <class Dataset, class Sampler> class StatelessDataLoader {
public:
    using Batch = typename Dataset::BatchType;
    StatelessDataLoader(Dataset dataset, Sampler sampler, DataLoaderOptions options)
        : dataset_(std::move(dataset)), sampler_(std::move(sampler)), options_(options) {
        REEL_CHECK_VALUE(options.batch_size() > 0, "data loader: batch_size must be positive");
    }

    class Iterator {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = Batch;
        using difference_type = std::ptrdiff_t;
        using pointer = Batch*;
        using reference = Batch&;
        Iterator() = default;
        explicit Iterator(StatelessDataLoader* loader) : loader_(loader) { ++*this; }
        Batch& operator*() const {
            REEL_CHECK(batch_, "data loader: attempted to dereference an iterator that is past the end");
            return *batch_;
        }
        Batch* operator->() const { return &**this; }
        Iterator& operator++() {
            REEL_CHECK(loader_, "data loader: attempted to increment an iterator that is past the end");
            auto next = loader_->next();
            if (next) batch_ = std::make_shared<Batch>(std::move(*next));
            else {
                batch_.reset();
                loader_ = nullptr;
            }
            return *this;
        }
        bool operator==(const Iterator& o) const { return loader_ == o.loader_; }

    private:
        StatelessDataLoader* loader_ = nullptr;
        std::shared_ptr<Batch> batch_;
    };

    Iterator begin() {
        REEL_CHECK(!in_pass_, "data loader: another iterator is still in flight; finish its pass or call join() first");
        if (used_) sampler_.reset();
        used_ = in_pass_ = true;
        return Iterator(this);
    }
    Iterator end() { return {}; }
    /// Ends a pass early.
    void join() { in_pass_ = false; }
    const DataLoaderOptions& options() const { return options_; }
    Dataset& dataset() { return dataset_; }

private:
    std::optional<Batch> next() {
        auto indices = sampler_.next(options_.batch_size());
        if (!indices || (options_.drop_last() && indices->size() < options_.batch_size())) {
            in_pass_ = false;
            return std::nullopt;
        }
        return dataset_.get_batch(*indices);
    }
    Dataset dataset_;
    Sampler sampler_;
    DataLoaderOptions options_;
    bool used_ = false, in_pass_ = false;
};

/// A loader over `dataset` in the order of `sampler`.
template <class Dataset, class Sampler>
requires std::is_base_of_v<samplers::Sampler, Sampler>
auto make_data_loader(Dataset dataset, Sampler sampler, DataLoaderOptions options = {}) {
    return std::make_unique<StatelessDataLoader<Dataset, Sampler>>(std::move(dataset), std::move(sampler), options);
}
/// The same with a sampler of the given class (random by default) over the dataset's size.
/// Errors: Error for a dataset of unknown size.
template <class Sampler = samplers::RandomSampler, class Dataset>
auto make_data_loader(Dataset dataset, DataLoaderOptions options = {}) {
    const auto size = dataset.size();
    REEL_CHECK(size, "make_data_loader: the dataset has no size; give a sampler");
    return make_data_loader(std::move(dataset), Sampler(*size), options);
}

} // namespace reel::data
