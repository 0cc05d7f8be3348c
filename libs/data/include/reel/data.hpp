// Umbrella header of reel_data.
#pragma once

#include <reel/data/csv.hpp>
#include <reel/data/dataloader.hpp>
#include <reel/data/datasets.hpp>
#include <reel/data/example.hpp>
#include <reel/data/samplers.hpp>
#include <reel/data/transforms.hpp>
#include <reel/data/worker_info.hpp>
