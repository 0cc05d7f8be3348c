// Transforms of the data of examples that leave their targets alone.
#pragma once

#include <functional>

#include <reel/autograd/array_ref.hpp>
#include <reel/data/example.hpp>
#include <reel/data/transforms/base.hpp>

namespace reel::data::transforms {

/// Base of transforms of the data tensor: subclasses override `operator()`.
template <class Target = Tensor>
class TensorTransform : public Transform<Example<Tensor, Target>, Example<Tensor, Target>> {
public:
    using E = Example<Tensor, Target>;
    using typename Transform<E, E>::InputType;
    using typename Transform<E, E>::OutputType;
    virtual Tensor operator()(Tensor input) = 0;
    OutputType apply(InputType input) override {
        input.data = (*this)(std::move(input.data));
        return input;
    }
};

/// One made of a function of a tensor.
template <class Target = Tensor> class TensorLambda : public TensorTransform<Target> {
public:
    using FunctionType = std::function<Tensor(Tensor)>;
    explicit TensorLambda(FunctionType function) : function_(std::move(function)) {}
    Tensor operator()(Tensor input) override { return function_(std::move(input)); }

private:
    FunctionType function_;
};

namespace detail {
/// As float32 [channels, 1, 1].
Tensor channel_constants(ArrayRef<double> values);
Tensor normalized(const Tensor& input, const Tensor& mean, const Tensor& stddev);
} // namespace detail

/// `(input - mean) / stddev`, both given as one number or as one per channel of a [C, H, W] image.
template <class Target = Tensor> struct Normalize : public TensorTransform<Target> {
    Normalize(ArrayRef<double> mean, ArrayRef<double> stddev)
        : mean(detail::channel_constants(mean)), stddev(detail::channel_constants(stddev)) {}
    Tensor operator()(Tensor input) override { return detail::normalized(input, mean, stddev); }

    Tensor mean, stddev;
};

} // namespace reel::data::transforms
