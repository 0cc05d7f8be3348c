// A tensor that a module owns and trains.
#pragma once

#include <reel/autograd/tensor.hpp>

namespace reel::nn {

/// A leaf over `data`'s storage, marked as a parameter; requires grad unless told otherwise, also under no-grad (E-5).
class Parameter : public Tensor {
public:
    Parameter() = default;
    explicit Parameter(const Tensor& data, bool requires_grad = true);
    /// Was this tensor made as, or registered as, a parameter?
    static bool is(const Tensor& t) { return t.defined() && t.impl()->is_parameter; }
};

} // namespace reel::nn
