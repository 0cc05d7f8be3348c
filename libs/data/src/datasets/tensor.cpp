#include <reel/autograd/ops/shape/stack.hpp>
#include <reel/data/datasets/tensor.hpp>

namespace reel::data::datasets {

TensorDataset::TensorDataset(Tensor t) : tensor(std::move(t)) {
    REEL_CHECK_VALUE(tensor.defined() && tensor.dim() > 0, "datasets::TensorDataset: the tensor has no rows; it is ",
                     tensor.defined() ? "a scalar" : "undefined");
}
TensorDataset::TensorDataset(const std::vector<Tensor>& tensors) : TensorDataset(reel::stack(tensors)) {}
TensorExample TensorDataset::get(std::size_t index) {
    REEL_CHECK_INDEX(index < std::size_t(tensor.size(0)), "datasets::TensorDataset: row ", index, " of ",
                     tensor.size(0));
    return tensor[std::int64_t(index)];
}
std::optional<std::size_t> TensorDataset::size() const { return std::size_t(tensor.size(0)); }

} // namespace reel::data::datasets
