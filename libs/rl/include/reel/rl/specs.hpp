// Umbrella header of the specs.
#pragma once

#include <reel/rl/specs/binary.hpp>
#include <reel/rl/specs/bounded.hpp>
#include <reel/rl/specs/categorical.hpp>
#include <reel/rl/specs/composite.hpp>
#include <reel/rl/specs/one_hot.hpp>
#include <reel/rl/specs/tensor_spec.hpp>
#include <reel/rl/specs/unbounded.hpp>
