// Umbrella header of reel_cuda for users. A program that links the library gains the device.
#pragma once

#include <reel/cuda/device.hpp>
#include <reel/cuda/graph.hpp>
#include <reel/cuda/memory.hpp>
#include <reel/cuda/stream.hpp>
