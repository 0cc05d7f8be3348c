// Umbrella header of reel_rl.
#pragma once

#include <reel/rl/envs.hpp>
#include <reel/rl/modules/random_policy.hpp>
#include <reel/rl/nested_key.hpp>
#include <reel/rl/policy.hpp>
#include <reel/rl/replay/lazy_memmap_storage.hpp>
#include <reel/rl/replay/lazy_tensor_storage.hpp>
#include <reel/rl/replay/list_storage.hpp>
#include <reel/rl/replay/loadable.hpp>
#include <reel/rl/replay/prioritized_replay_buffer.hpp>
#include <reel/rl/replay/prioritized_sampler.hpp>
#include <reel/rl/replay/random_sampler.hpp>
#include <reel/rl/replay/replay_buffer.hpp>
#include <reel/rl/replay/replay_buffer_options.hpp>
#include <reel/rl/replay/sampler.hpp>
#include <reel/rl/replay/sampler_without_replacement.hpp>
#include <reel/rl/replay/segment_tree.hpp>
#include <reel/rl/replay/slice_sampler.hpp>
#include <reel/rl/replay/storage.hpp>
#include <reel/rl/replay/tensor_storage.hpp>
#include <reel/rl/replay/tensordict_replay_buffer.hpp>
#include <reel/rl/replay/transform.hpp>
#include <reel/rl/replay/writer.hpp>
#include <reel/rl/specs.hpp>
#include <reel/rl/tensordict.hpp>
