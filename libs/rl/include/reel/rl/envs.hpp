// Umbrella header of the environments.
#pragma once

#include <reel/rl/envs/check_env_specs.hpp>
#include <reel/rl/envs/classic_control/acrobot.hpp>
#include <reel/rl/envs/classic_control/cart_pole.hpp>
#include <reel/rl/envs/classic_control/classic_control_env.hpp>
#include <reel/rl/envs/classic_control/mountain_car.hpp>
#include <reel/rl/envs/classic_control/mountain_car_continuous.hpp>
#include <reel/rl/envs/classic_control/pendulum.hpp>
#include <reel/rl/envs/env_base.hpp>
#include <reel/rl/envs/env_specs.hpp>
#include <reel/rl/envs/gym_env.hpp>
#include <reel/rl/envs/step_mdp.hpp>
#include <reel/rl/envs/transforms/cat_frames.hpp>
#include <reel/rl/envs/transforms/compose.hpp>
#include <reel/rl/envs/transforms/init_tracker.hpp>
#include <reel/rl/envs/transforms/observation_norm.hpp>
#include <reel/rl/envs/transforms/reward_sum.hpp>
#include <reel/rl/envs/transforms/step_counter.hpp>
#include <reel/rl/envs/transforms/time_limit.hpp>
#include <reel/rl/envs/transforms/transform.hpp>
#include <reel/rl/envs/transforms/transformed_env.hpp>
#include <reel/rl/envs/vector_env.hpp>
