// Two tensors' rows, data and targets, as a dataset.
#pragma once

#include <reel/data/datasets/base.hpp>

namespace reel::data::datasets {

/// Rows of a data tensor and of a target tensor; a batch is one example with the rows gathered, so it takes no `Stack`.
/// Errors: ValueError when the numbers of rows differ, IndexError for a row that does not exist.
class TensorPairDataset : public BatchDataset<TensorPairDataset, Example<>> {
public:
    TensorPairDataset(Tensor data, Tensor target);
    Example<> get(std::size_t index) const;
    Example<> get_batch(ArrayRef<std::size_t> indices) override;
    std::optional<std::size_t> size() const override { return std::size_t(data_.size(0)); }
    const Tensor& data() const { return data_; }
    const Tensor& target() const { return target_; }
    /// The rows named by an integer tensor, as a dataset of its own.
    TensorPairDataset rows(const Tensor& indices) const;

private:
    Tensor data_, target_;
};

} // namespace reel::data::datasets
namespace reel::data {
/// `TensorDataset(data, target)`, as `torch.utils.data.TensorDataset` takes them in Python. (libtorch's class of the
/// same name, of one tensor, is `datasets::TensorDataset`.)
using TensorDataset = datasets::TensorPairDataset;
} // namespace reel::data
