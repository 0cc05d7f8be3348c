// One element of a dataset, or a batch of them.
#pragma once

#include <utility>

#include <reel/autograd/tensor.hpp>

namespace reel::data {

template <class Data = Tensor, class Target = Tensor> struct Example {
    Data data;
    Target target;
    Example() = default;
    Example(Data data, Target target) : data(std::move(data)), target(std::move(target)) {}
};
/// An example without a target.
struct TensorExample {
    Tensor data;
    TensorExample() = default;
    TensorExample(Tensor data) : data(std::move(data)) {}
    operator const Tensor&() const { return data; }
};

} // namespace reel::data
