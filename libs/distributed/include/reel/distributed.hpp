// Training on several processes: process groups and collectives.
#pragma once

#include <reel/distributed/collectives.hpp>
#include <reel/distributed/comm_hooks.hpp>
#include <reel/distributed/data_parallel.hpp>
#include <reel/distributed/join.hpp>
#include <reel/distributed/process_group.hpp>
#include <reel/distributed/session.hpp>
#include <reel/distributed/sync_batch_norm.hpp>
#include <reel/distributed/types.hpp>
#include <reel/distributed/work.hpp>
