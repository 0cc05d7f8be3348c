// An index list over the batch dimensions, understood once and applied to every tensor of a dictionary.
#pragma once

#include <vector>

#include <reel/autograd/tensor.hpp>

namespace reel::rl::detail {

/// Integers, slices, None, the ellipsis, masks and index tensors, as `Tensor::index` takes them. IndexError when they
/// do not fit the batch size; positions in index tensors are looked at when they are used, or by `check_positions`.
class BatchIndex {
public:
    BatchIndex(const char* op, IntArrayRef batch_size, ArrayRef<indexing::TensorIndex> indices);

    /// The batch size of what is picked.
    const Dims& result() const { return result_; }
    /// A view of `leaf` where there are no tensors among the indices, else a copy.
    Tensor pick(const Tensor& leaf) const;
    void put(const Tensor& leaf, const Tensor& value) const;
    /// IndexError for a position out of range.
    void check_positions() const;

private:
    void add_tensor(const char* op, Tensor t, IntArrayRef batch_size, std::size_t& dim);
    void add_positions(Tensor positions, std::int64_t extent);
    void add_size(std::int64_t size);
    void finish(const char* op);

    std::vector<indexing::TensorIndex> indices_; ///< without ellipses and masks
    /// Index tensors and the extents that they point into.
    struct Positions {
        Tensor tensor;
        std::int64_t extent;
    };
    std::vector<Positions> positions_;
    Dims result_; ///< while it is made: without what the index tensors stand for
    std::size_t place_ = 0;
    bool apart_ = false; ///< index tensors with a dimension between them: theirs come first
    std::size_t last_ = 0;
};

} // namespace reel::rl::detail
