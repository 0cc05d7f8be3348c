// A dataset seen through a transform.
#pragma once

#include <reel/data/datasets/base.hpp>

namespace reel::data::datasets {

namespace detail {
template <class Batch> struct contents { using type = Batch; };
template <class Batch> struct contents<std::optional<Batch>> { using type = Batch; };
template <bool Optional, class T> using optional_if_t = std::conditional_t<Optional, std::optional<T>, T>;
} // namespace detail

/// What `dataset.map(transform)` makes. A stateful dataset stays one: where it has no more batches, neither has this.
template <class SourceDataset, class AppliedTransform>
class MapDataset
    : public BatchDataset<MapDataset<SourceDataset, AppliedTransform>,
                          detail::optional_if_t<SourceDataset::is_stateful, typename AppliedTransform::OutputBatchType>,
                          typename SourceDataset::BatchRequestType> {
    static_assert(std::is_convertible_v<typename detail::contents<typename SourceDataset::BatchType>::type,
                                        typename AppliedTransform::InputBatchType>,
                  "dataset.map(transform): the transform takes another type than the dataset's batches have");

public:
    using DatasetType = SourceDataset;
    using TransformType = AppliedTransform;
    using BatchRequestType = typename SourceDataset::BatchRequestType;
    using OutputBatchType =
        detail::optional_if_t<SourceDataset::is_stateful, typename AppliedTransform::OutputBatchType>;

    MapDataset(DatasetType dataset, TransformType transform)
        : dataset_(std::move(dataset)), transform_(std::move(transform)) {}

    OutputBatchType get_batch(BatchRequestType request) override {
        if constexpr (SourceDataset::is_stateful) {
            auto batch = dataset_.get_batch(std::move(request));
            if (!batch) return std::nullopt;
            return transform_.apply_batch(std::move(*batch));
        } else return transform_.apply_batch(dataset_.get_batch(std::move(request)));
    }
    std::optional<std::size_t> size() const override { return dataset_.size(); }
    /// Only where the source has one.
    void reset() requires requires(SourceDataset& d) { d.reset(); }
    { dataset_.reset(); }
    const SourceDataset& dataset() const { return dataset_; }
    const AppliedTransform& transform() const { return transform_; }

private:
    SourceDataset dataset_;
    AppliedTransform transform_;
};

/// `dataset.map(transform)`, written the other way round.
template <class DatasetType, class TransformType>
MapDataset<DatasetType, TransformType> map(DatasetType dataset, TransformType transform) {
    return {std::move(dataset), std::move(transform)};
}

} // namespace reel::data::datasets
