// All datasets.
#pragma once

#include <reel/data/datasets/base.hpp>
#include <reel/data/datasets/chunk.hpp>
#include <reel/data/datasets/concat.hpp>
#include <reel/data/datasets/map.hpp>
#include <reel/data/datasets/mnist.hpp>
#include <reel/data/datasets/random_split.hpp>
#include <reel/data/datasets/shared.hpp>
#include <reel/data/datasets/stateful.hpp>
#include <reel/data/datasets/subset.hpp>
#include <reel/data/datasets/tensor.hpp>
#include <reel/data/datasets/tensor_pair.hpp>

namespace reel::data {
using datasets::BatchDataset;
using datasets::Dataset;
} // namespace reel::data
