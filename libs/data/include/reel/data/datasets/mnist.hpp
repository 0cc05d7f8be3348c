// The MNIST images of handwritten digits.
#pragma once

#include <string>

#include <reel/data/datasets/base.hpp>

namespace reel::data::datasets {

/// Images [1, 28, 28] as float32 from 0 to 1, with their digits as int64 targets. `root` holds the published files,
/// plain or as `.gz` (`train-images-idx3-ubyte`, `train-labels-idx1-ubyte`, the same with `t10k` for the test set), or
/// they lie in its `MNIST/raw`, where torchvision puts them. Other sets in the same format do as well.
/// Errors: Error naming the file that cannot be read; ValueError for one that is damaged or does not fit the other.
class MNIST : public Dataset<MNIST> {
public:
    enum class Mode { kTrain, kTest };
    explicit MNIST(const std::string& root, Mode mode = Mode::kTrain);
    Example<> get(std::size_t index) override;
    std::optional<std::size_t> size() const override;
    bool is_train() const noexcept { return mode_ == Mode::kTrain; }
    const Tensor& images() const { return images_; }   ///< [N, 1, 28, 28]
    const Tensor& targets() const { return targets_; } ///< [N]

private:
    Mode mode_;
    Tensor images_, targets_;
};

} // namespace reel::data::datasets
