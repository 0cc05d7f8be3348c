// Tensors made of sizes and numbers, under the name that programs may know; Reel's own sources include what they call.
#pragma once

#include <reel/autograd/ops/factory.hpp>
