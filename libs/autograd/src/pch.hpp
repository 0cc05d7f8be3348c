// What nearly every source of the library reads, parsed once (the build's precompiled header). No ops: a source
// includes those that it calls, so that a schema compiles its users and nobody else.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <mutex>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/op.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>
