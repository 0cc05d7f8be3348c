// One dataset for all copies.
#pragma once

#include <memory>

#include <reel/data/datasets/base.hpp>

namespace reel::data::datasets {

/// A handle whose copies share one dataset: for datasets that are large or cannot be copied. With several workers the
/// dataset's `get_batch` runs on all of them at once and must be ready for that.
template <class UnderlyingDataset>
class SharedBatchDataset
    : public BatchDataset<SharedBatchDataset<UnderlyingDataset>, typename UnderlyingDataset::BatchType,
                          typename UnderlyingDataset::BatchRequestType> {
public:
    using BatchType = typename UnderlyingDataset::BatchType;
    using BatchRequestType = typename UnderlyingDataset::BatchRequestType;

    /// Errors: ValueError for null.
    SharedBatchDataset(std::shared_ptr<UnderlyingDataset> dataset) : dataset_(std::move(dataset)) {
        REEL_CHECK_VALUE(dataset_, "SharedBatchDataset: the pointer to the dataset is null");
    }
    BatchType get_batch(BatchRequestType request) override { return dataset_->get_batch(std::move(request)); }
    std::optional<std::size_t> size() const override { return dataset_->size(); }
    UnderlyingDataset& operator*() { return *dataset_; }
    const UnderlyingDataset& operator*() const { return *dataset_; }
    UnderlyingDataset* operator->() { return dataset_.get(); }
    const UnderlyingDataset* operator->() const { return dataset_.get(); }
    /// Only where the dataset has one.
    void reset() requires requires(UnderlyingDataset& d) { d.reset(); }
    { dataset_->reset(); }

private:
    std::shared_ptr<UnderlyingDataset> dataset_;
};

/// Makes a dataset of the given class and a shared handle to it.
template <class UnderlyingDataset, class... Args>
SharedBatchDataset<UnderlyingDataset> make_shared_dataset(Args&&... args) {
    return std::make_shared<UnderlyingDataset>(std::forward<Args>(args)...);
}

} // namespace reel::data::datasets
