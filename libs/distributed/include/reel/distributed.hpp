// Training on several ranks: process groups, collectives, and what is built on them.
#pragma once

#include <reel/distributed/checkpoint.hpp>
#include <reel/distributed/clip_grad_norm.hpp>
#include <reel/distributed/collectives.hpp>
#include <reel/distributed/comm_hooks.hpp>
#include <reel/distributed/data_parallel.hpp>
#include <reel/distributed/distributed_sampler.hpp>
#include <reel/distributed/fully_shard.hpp>
#include <reel/distributed/join.hpp>
#include <reel/distributed/object_collectives.hpp>
#include <reel/distributed/process_group.hpp>
#include <reel/distributed/session.hpp>
#include <reel/distributed/sync_batch_norm.hpp>
#include <reel/distributed/types.hpp>
#include <reel/distributed/work.hpp>
#include <reel/distributed/zero_redundancy_optimizer.hpp>
