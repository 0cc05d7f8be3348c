// The reduction of several ranks' elements, in the order of the ranks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <reel/autograd/dtype.hpp>
#include <reel/distributed/types.hpp>

namespace reel::distributed::detail {

/// ValueError in the name of `what` where `op` has no meaning for `dtype`.
void check_reduction(const char* what, ReduceOp op, ScalarType dtype);

/// out[i] = (sources[0][i] op sources[1][i]) op ...; `out` may be one of the sources. Lower precisions are summed in
/// float32 and rounded once, which with two sources is the same; integers wrap; NaN wins min and max; kAvg divides the
/// rounded sum by the number of sources.
void reduce_elements(void* out, const std::vector<const void*>& sources, std::int64_t count, ScalarType dtype,
                     ReduceOp op);

/// The sum of what each source's elements are, divided by `divisor`; of real floating dtypes.
void add_divided_elements(void* out, const std::vector<const void*>& sources, std::int64_t count, ScalarType dtype,
                          std::uint32_t divisor);

} // namespace reel::distributed::detail
