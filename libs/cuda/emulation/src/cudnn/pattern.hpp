// Graphs of many operations that engines know as a whole.
#pragma once

#include "cudnn/descriptor.hpp"

namespace reel::cuda::emulation::dnn {

enum class Pattern { none, attention, attention_backward };
/// By the operations' kinds and modes, in their order.
Pattern pattern_of(const Program& program);
/// Has version 9.19 an engine for its sizes and dtypes (test/cuda_plans asks it)?
bool has_engine(const Program& program, Pattern pattern);
/// Empty where there is none.
const char* name_of_pattern(const Program& program);

} // namespace reel::cuda::emulation::dnn
