// One element of a dataset: the data and, mostly, what is to be learned about it.
#pragma once

#include <utility>

#include <reel/autograd/tensor.hpp>

namespace reel::data {

/// Data and target (label) of one element, or of a whole batch once it is collated.
template <class Data = Tensor, class Target = Tensor> struct Example {
    using DataType = Data;
    using TargetType = Target;

    Example() = default;
    Example(Data data, Target target) : data(std::move(data)), target(std::move(target)) {}

    Data data;
    Target target;
};

namespace example {
using NoTarget = void;
} // namespace example

/// An element without a target; converts to and from its data.
template <class Data> struct Example<Data, example::NoTarget> {
    using DataType = Data;
    using TargetType = example::NoTarget;

    Example() = default;
    Example(Data data) : data(std::move(data)) {}
    operator Data&() { return data; }
    operator const Data&() const { return data; }

    Data data;
};

using TensorExample = Example<Tensor, example::NoTarget>;

} // namespace reel::data
