// Who may refuse memory before it is taken.
#pragma once

#include <cstddef>

namespace reel::detail {

/// Asked with the bytes of every storage of more than 4 KiB that this thread is about to take; throws to refuse.
using AllocationGuard = void (*)(std::size_t nbytes);
/// Sets the guard of this thread (null: none) and gives the one before.
AllocationGuard set_allocation_guard(AllocationGuard guard);

} // namespace reel::detail
