// Stands before the toolkit's header of the same name where kernels are compiled for the emulated device: the same
// declarations, and the words of the device language with a meaning that an ordinary compiler has.
#pragma once

#include_next <cuda_runtime.h>

#include <reel/cuda/emulation/device_language.hpp>
