// All samplers.
#pragma once

#include <reel/data/samplers/base.hpp>
#include <reel/data/samplers/batch.hpp>
#include <reel/data/samplers/custom_batch_request.hpp>
#include <reel/data/samplers/distributed.hpp>
#include <reel/data/samplers/random.hpp>
#include <reel/data/samplers/sequential.hpp>
#include <reel/data/samplers/stream.hpp>
#include <reel/data/samplers/subset_random.hpp>
#include <reel/data/samplers/weighted_random.hpp>
