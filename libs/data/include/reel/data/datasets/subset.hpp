// Some elements of a dataset.
#pragma once

#include <reel/data/datasets/base.hpp>

namespace reel::data::datasets {

namespace detail {
/// Throws IndexError for an index that is not below `size`.
void check_subset(ArrayRef<std::size_t> indices, std::optional<std::size_t> size);
/// `indices[i]` for each `i` of `request`. Errors: IndexError.
std::vector<std::size_t> subset_request(ArrayRef<std::size_t> indices, ArrayRef<std::size_t> request);
} // namespace detail

/// The elements of `dataset` at `indices`, in that order. Its batches are made by the dataset, so they are of its type.
/// It keeps a copy of the dataset: share a large one (`make_shared_dataset`).
/// Errors: IndexError for indices beyond the dataset or the subset.
template <class D> class Subset : public BatchDataset<Subset<D>, typename D::BatchType> {
    static_assert(std::is_convertible_v<ArrayRef<std::size_t>, typename D::BatchRequestType>,
                  "Subset: the dataset is not asked by index");

public:
    Subset(D dataset, std::vector<std::size_t> indices) : dataset_(std::move(dataset)), indices_(std::move(indices)) {
        detail::check_subset(indices_, dataset_.size());
    }
    typename D::BatchType get_batch(ArrayRef<std::size_t> request) override {
        const std::vector<std::size_t> rows = detail::subset_request(indices_, request);
        return dataset_.get_batch(ArrayRef<std::size_t>(rows));
    }
    auto get(std::size_t index) requires requires(D& d) { d.get(index); }
    { return dataset_.get(detail::subset_request(indices_, index)[0]); }
    std::optional<std::size_t> size() const override { return indices_.size(); }
    const D& dataset() const { return dataset_; }
    const std::vector<std::size_t>& indices() const { return indices_; }

private:
    D dataset_;
    std::vector<std::size_t> indices_;
};

} // namespace reel::data::datasets
namespace reel::data {
using datasets::Subset;
}
