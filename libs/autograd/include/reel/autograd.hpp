// Umbrella header of reel_autograd for users.
#pragma once

#include <reel/autograd/anomaly.hpp>
#include <reel/autograd/backward.hpp>
#include <reel/autograd/checkpoint.hpp>
#include <reel/autograd/forward_ad.hpp>
#include <reel/autograd/function.hpp>
#include <reel/autograd/functional.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/gradcheck.hpp>
#include <reel/autograd/hooks.hpp>
#include <reel/autograd/indexing.hpp>
#include <reel/autograd/memory.hpp>
#include <reel/autograd/node.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/parallel.hpp>
#include <reel/autograd/random.hpp>
#include <reel/autograd/saved_tensor_hooks.hpp>
#include <reel/autograd/tape_view.hpp>
#include <reel/autograd/tensor.hpp>
#include <reel/autograd/tensor_accessor.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/autograd/value.hpp>
