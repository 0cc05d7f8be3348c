// Datasets: random access to examples, singly or in batches.
#pragma once

#include <reel/data/datasets/base.hpp>
#include <reel/data/datasets/tensor.hpp>
#include <reel/data/datasets/tensor_pair.hpp>
