// What nearly every source of the emulated device reads, parsed once for each kind of it (the build's precompiled
// header).
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "dispatch.cuh"
#include "elements.cuh"
#include "for_each.cuh"
