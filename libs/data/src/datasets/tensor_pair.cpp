#include <reel/autograd/ops/factory/empty.hpp>
#include <reel/autograd/ops/index/gather.hpp>
#include <reel/data/datasets/tensor_pair.hpp>

namespace reel::data::datasets {

TensorPairDataset::TensorPairDataset(Tensor data, Tensor target) : data_(std::move(data)), target_(std::move(target)) {
    REEL_CHECK_VALUE(data_.defined() && target_.defined() && data_.dim() > 0 && target_.dim() > 0,
                     "TensorDataset: data and target need rows");
    REEL_CHECK_VALUE(data_.size(0) == target_.size(0), "TensorDataset: data has ", data_.size(0), " rows, target has ",
                     target_.size(0));
}
Example<> TensorPairDataset::get(std::size_t index) const {
    REEL_CHECK_INDEX(index < std::size_t(data_.size(0)), "TensorDataset: row ", index, " of ", data_.size(0));
    return {data_[std::int64_t(index)], target_[std::int64_t(index)]};
}
Example<> TensorPairDataset::get_batch(ArrayRef<std::size_t> indices) {
    const std::int64_t n = data_.size(0);
    Tensor rows = reel::empty({std::int64_t(indices.size())}, kLong);
    std::int64_t* p = rows.data_ptr<std::int64_t>();
    for (const std::size_t i : indices) {
        REEL_CHECK_INDEX(std::int64_t(i) < n, "TensorDataset: row ", i, " of ", n);
        *p++ = std::int64_t(i);
    }
    return {reel::index_select(data_, 0, rows), reel::index_select(target_, 0, rows)};
}
TensorPairDataset TensorPairDataset::rows(const Tensor& indices) const {
    return {reel::index_select(data_, 0, indices), reel::index_select(target_, 0, indices)};
}

} // namespace reel::data::datasets
