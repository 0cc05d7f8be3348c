// What distributions are made from: tensors or numbers.
#pragma once

#include <optional>
#include <type_traits>

#include <reel/autograd/tensor.hpp>

namespace reel::distributions {

/// A tensor, a number, or nothing (`nullopt`, `{}`, an undefined tensor). A number becomes a tensor without dimensions
/// of the dtype and device of the tensors beside it, or of the default dtype where there are none, and follows their
/// shape. bool is no number here: arguments behind the parameters are switches.
class Parameter {
public:
    Parameter() = default;
    Parameter(std::nullopt_t) {}
    template <class T>
    requires(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) Parameter(T number) : number_(double(number)) {}
    template <class T>
    requires(!std::is_arithmetic_v<T> && std::is_convertible_v<const T&, Tensor>) Parameter(const T& tensor)
        : tensor_(tensor) {}
    Parameter(const std::optional<Tensor>& tensor) : tensor_(tensor.value_or(Tensor())) {}

    bool defined() const noexcept { return number_ || tensor_.defined(); }
    bool is_number() const noexcept { return number_.has_value(); }
    /// Undefined for nothing. A number takes dtype and device of `like`, where that is defined.
    Tensor tensor(const Tensor& like = {}) const;
    /// The same with a dtype and device for numbers.
    Tensor tensor(const TensorOptions& number) const;

private:
    std::optional<double> number_;
    Tensor tensor_;
};

/// Chances by name, as Python's keywords: `Bernoulli({.logits = x})`, `Categorical({.probs = p})`.
struct Chances {
    Parameter probs = {}, logits = {}; ///< exactly one of them
    std::optional<bool> validate_args = {};
};

} // namespace reel::distributions
