// All transforms.
#pragma once

#include <reel/data/transforms/base.hpp>
#include <reel/data/transforms/collate.hpp>
#include <reel/data/transforms/lambda.hpp>
#include <reel/data/transforms/stack.hpp>
#include <reel/data/transforms/tensor.hpp>
