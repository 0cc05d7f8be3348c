// The learning rate: a number, or a tensor that a program holds on to.
#pragma once

#include <iosfwd>

#include <reel/autograd/scalar.hpp>
#include <reel/autograd/tensor.hpp>
#include <reel/optim/fields.hpp>

namespace reel::optim {

/// A number, or a tensor of one element: then each step reads the tensor, schedules and `set_lr` write into it, and a
/// differentiable step sends gradients to it. Computes as a number does. ValueError for a tensor of another size.
class Rate {
public:
    Rate(double number = 0) : number_(number) {}
    Rate(Tensor tensor);
    operator double() const { return tensor_.defined() ? value_of_tensor() : number_; }
    operator Scalar() const { return Scalar(double(*this)); }
    /// Undefined for a number.
    const Tensor& tensor() const { return tensor_; }
    /// Another value for it: the tensor, if it is one, stays and is written to.
    void set(double value);
    Rate& operator+=(double x) { return set(*this + x), *this; }
    Rate& operator-=(double x) { return set(*this - x), *this; }
    Rate& operator*=(double x) { return set(*this * x), *this; }
    Rate& operator/=(double x) { return set(*this / x), *this; }

private:
    double value_of_tensor() const;
    double number_ = 0;
    Tensor tensor_;
};
std::ostream& operator<<(std::ostream& os, const Rate& rate);

template <> struct FieldCodec<Rate> {
    static Value get(const Rate& v) { return v.tensor().defined() ? Value(v.tensor()) : Value(double(v)); }
    static void set(Rate& v, const Value& x) { v = x.isTensor() ? Rate(x.toTensor()) : Rate(x.toDouble()); }
};

} // namespace reel::optim
