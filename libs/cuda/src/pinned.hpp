// Page-locked memory of the host.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace reel::cuda {

/// Throws OutOfMemoryError when the system locks no more pages.
void* pinned_alloc(std::size_t nbytes);
void pinned_free(void* p, std::size_t nbytes);
/// The memory that holds `p` is read or written by what `stream` has queued: it serves nobody else before that has run.
/// The stream's device is the current one.
void pinned_used_on(const void* p, cudaStream_t stream);

} // namespace reel::cuda
