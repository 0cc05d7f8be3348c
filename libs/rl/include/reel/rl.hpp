// Umbrella header of reel_rl.
#pragma once

#include <reel/rl/distributions/bernoulli.hpp>
#include <reel/rl/distributions/categorical.hpp>
#include <reel/rl/distributions/delta.hpp>
#include <reel/rl/distributions/distribution.hpp>
#include <reel/rl/distributions/independent.hpp>
#include <reel/rl/distributions/normal.hpp>
#include <reel/rl/distributions/one_hot_categorical.hpp>
#include <reel/rl/distributions/tanh_normal.hpp>
#include <reel/rl/envs.hpp>
#include <reel/rl/modules/actors.hpp>
#include <reel/rl/modules/egreedy.hpp>
#include <reel/rl/modules/exploration_type.hpp>
#include <reel/rl/modules/mlp.hpp>
#include <reel/rl/modules/normal_param_extractor.hpp>
#include <reel/rl/modules/probabilistic.hpp>
#include <reel/rl/modules/random_policy.hpp>
#include <reel/rl/modules/tensordict_module.hpp>
#include <reel/rl/modules/tensordict_module_base.hpp>
#include <reel/rl/modules/tensordict_sequential.hpp>
#include <reel/rl/nested_key.hpp>
#include <reel/rl/policy.hpp>
#include <reel/rl/specs.hpp>
#include <reel/rl/tensordict.hpp>
