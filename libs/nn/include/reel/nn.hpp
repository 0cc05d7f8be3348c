// Umbrella header of reel_nn for users.
#pragma once

#include <reel/nn/cloneable.hpp>
#include <reel/nn/hooks.hpp>
#include <reel/nn/module.hpp>
#include <reel/nn/module_holder.hpp>
#include <reel/nn/modules/sequential.hpp>
#include <reel/nn/modules/activation.hpp>
#include <reel/nn/modules/linear.hpp>
#include <reel/nn/parameter.hpp>
#include <reel/nn/state_dict.hpp>
