// A tensor's rows as a dataset.
#pragma once

#include <reel/data/datasets/base.hpp>

namespace reel::data::datasets {

/// The slices of a tensor along its first dim, without targets; a batch is a vector of them, to be collated with
/// `transforms::Stack<TensorExample>`. (For data with targets: `data::TensorDataset(data, target)`, tensor_pair.hpp.)
/// Errors: ValueError for a tensor without dims, IndexError for a row that does not exist.
struct TensorDataset : public Dataset<TensorDataset, TensorExample> {
    explicit TensorDataset(Tensor tensor);
    /// Of tensors of one shape, which are stacked.
    explicit TensorDataset(const std::vector<Tensor>& tensors);
    TensorExample get(std::size_t index) override;
    std::optional<std::size_t> size() const override;

    Tensor tensor;
};

} // namespace reel::data::datasets
