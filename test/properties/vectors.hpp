// Which results are vectors that no convention fixes entirely.
#pragma once

#include <cstddef>
#include <vector>

#include "sample.hpp"

namespace properties {

/// A result whose columns, or rows, are unit vectors: each may be multiplied by a number of modulus one. Beyond the
/// first k, the lesser of the operand's sizes, they are any basis of what is left.
struct Vectors {
    std::size_t result;
    bool in_rows = false;
};
/// Those of the sample's op; none of a sample that is free of conventions.
std::vector<Vectors> vectors_up_to_phase(const Sample& sample);

} // namespace properties
