// Datasets: random access to examples, singly or in batches.
#pragma once

#include <optional>
#include <vector>

#include <reel/autograd/array_ref.hpp>
#include <reel/data/example.hpp>

namespace reel::data::datasets {

/// Base of datasets that make a whole batch from a request. `Self` implements `get_batch(request)` and `size()`.
template <class Self, class Batch, class Request = ArrayRef<std::size_t>> class BatchDataset {
public:
    using SelfType = Self;
    using BatchType = Batch;
    using BatchRequestType = Request;
    virtual ~BatchDataset() = default;
    virtual Batch get_batch(Request request) = 0;
    /// nullopt when unknown.
    virtual std::optional<std::size_t> size() const = 0;
};

/// Base of datasets of single examples: `Self` implements `get(index)` and `size()`; a batch is a vector of examples.
template <class Self, class E = Example<>> class Dataset : public BatchDataset<Self, std::vector<E>> {
public:
    using ExampleType = E;
    virtual E get(std::size_t index) = 0;
    std::vector<E> get_batch(ArrayRef<std::size_t> indices) override {
        std::vector<E> batch;
        batch.reserve(indices.size());
        for (const std::size_t i : indices) batch.push_back(get(i));
        return batch;
    }
};

/// Rows of a data tensor and of a target tensor; a batch is one example with the rows gathered.
/// Errors: ValueError when the numbers of rows differ, IndexError for a row that does not exist.
class TensorDataset : public BatchDataset<TensorDataset, Example<>> {
public:
    TensorDataset(Tensor data, Tensor target);
    Example<> get(std::size_t index) const;
    Example<> get_batch(ArrayRef<std::size_t> indices) override;
    std::optional<std::size_t> size() const override { return std::size_t(data_.size(0)); }
    const Tensor& data() const { return data_; }
    const Tensor& target() const { return target_; }
    /// The rows named by an integer tensor, as a dataset of its own.
    TensorDataset rows(const Tensor& indices) const;

private:
    Tensor data_, target_;
};

} // namespace reel::data::datasets
namespace reel::data {
using datasets::TensorDataset;
}
