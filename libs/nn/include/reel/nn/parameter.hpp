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

/// A buffer with its own persistence, aliasing `data` and keeping its requires-grad flag; not a parameter (M-48).
class Buffer : public Tensor {
public:
    Buffer() = default;
    explicit Buffer(const Tensor& data, bool persistent = true) : Tensor(data), persistent_(persistent) {}
    bool persistent() const { return persistent_; }

private:
    bool persistent_ = true;
};

} // namespace reel::nn
