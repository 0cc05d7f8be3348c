// The group that an object of several ranks works in.
#pragma once

#include <reel/distributed/process_group.hpp>

namespace reel::distributed::detail {

/// `given`, or the default group for a null handle. ValueError in the name of `who` on a rank that is no member of the
/// group, and before `init`.
ProcessGroup member_group(const char* who, const ProcessGroup& given);

} // namespace reel::distributed::detail
