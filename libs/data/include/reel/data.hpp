// Umbrella header of reel_data.
#pragma once

#include <reel/data/csv.hpp>
#include <reel/data/dataloader.hpp>
#include <reel/data/dataset.hpp>
#include <reel/data/example.hpp>
#include <reel/data/sampler.hpp>
