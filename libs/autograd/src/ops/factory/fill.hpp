// What factories share: memory of a tensor's layout, filled, with the options that the caller gave.
#pragma once

#include <reel/autograd/tensor.hpp>
#include <reel/autograd/tensor_options.hpp>

namespace reel::factory {

/// Takes on what the options say about the tape.
Tensor finish(Tensor t, const TensorOptions& o);
/// The options of `t`, where `o` does not say others.
TensorOptions like(const Tensor& t, const TensorOptions& o);
/// Memory that nobody has written, checked in the name of `op`.
Tensor unfilled(const char* op, IntArrayRef size, const TensorOptions& o);
/// The same for numbers to be drawn into it; requires no grad yet, whatever the options say.
Tensor undrawn(const char* op, IntArrayRef size, const TensorOptions& o);
/// The same with `v` everywhere, and what the options say about the tape.
Tensor filled(const char* op, IntArrayRef size, const Scalar& v, const TensorOptions& o);
/// The same of the sizes of `input`, and of its layout unless the options name another; `o` is complete.
Tensor unfilled_like(const Tensor& input, const TensorOptions& o);
/// `o` is what the caller gave.
Tensor filled_like(const Tensor& input, const Scalar& v, const TensorOptions& o);

} // namespace reel::factory
