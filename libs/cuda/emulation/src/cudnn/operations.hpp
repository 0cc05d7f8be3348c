// The operations that the stand-in computes, in plain loops and float64.
#pragma once

#include "cudnn/tensor.hpp"

namespace reel::cuda::emulation::dnn {

/// Finds the data of an operation's tensors.
class Data {
public:
    virtual ~Data() = default;
    virtual View operator[](const Descriptor& tensor) const = 0;
    View of(const Descriptor& op, cudnnBackendAttributeName_t name) const { return (*this)[*op.part(name)]; }
};

void convolve(const Descriptor& op, const Data& data);
void pointwise(const Descriptor& op, const Data& data);
void reduce(const Descriptor& op, const Data& data);
void multiply(const Descriptor& op, const Data& data);
void reshape(const Descriptor& op, const Data& data);
void resample(const Descriptor& op, const Data& data);
void norm_forward(const Descriptor& op, const Data& data);
void norm_backward(const Descriptor& op, const Data& data);
void attention(const Descriptor& op, const Data& data);

} // namespace reel::cuda::emulation::dnn
