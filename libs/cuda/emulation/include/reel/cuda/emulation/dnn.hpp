// What the stand-in for cuDNN was asked to do.
#pragma once

extern "C" {
/// The graph that was queued last and the engine that computes it: `convolution_forward+pointwise by plain`; empty when
/// none was since the last call of this. C linkage, so that a program that is linked with neither device can look for
/// it by name. Valid until the next call.
const char* reel_emulation_dnn_plan();
}
