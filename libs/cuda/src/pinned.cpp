// Page-locked memory of the host, kept between uses: locking pages costs more than most copies. Sizes are powers of
// two, so that batches that differ a little share.
#include "pinned.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "check.hpp"

namespace reel::cuda {

namespace {

constexpr std::size_t least = 4096;

struct Block {
    std::size_t bytes = 0;
    std::vector<cudaEvent_t> uses; ///< that are under way
};

/// Lives as long as the process: tensors in statics are freed after other statics are gone.
struct PinnedMemory {
    std::mutex mutex;
    std::map<const std::byte*, Block> blocks;
    std::array<std::vector<std::byte*>, 64> kept; ///< by the power of two
};
PinnedMemory& memory() {
    static auto& one = *new PinnedMemory();
    return one;
}

bool has_run(cudaEvent_t use) {
    const cudaError_t status = cudaEventQuery(use);
    if (status == cudaErrorNotReady) {
        cudaGetLastError(); // must not surface at the next kernel
        return false;
    }
    cudaEventDestroy(use);
    return true;
}

} // namespace

void* pinned_alloc(std::size_t nbytes) {
    const std::size_t bytes = std::bit_ceil(std::max(nbytes, least));
    PinnedMemory& m = memory();
    const std::lock_guard lock(m.mutex);
    auto& kept = m.kept[std::size_t(std::countr_zero(bytes))];
    for (auto i = kept.begin(); i != kept.end(); ++i) {
        Block& b = m.blocks[*i];
        std::erase_if(b.uses, has_run);
        if (!b.uses.empty()) continue;
        std::byte* const p = *i;
        kept.erase(i);
        return p;
    }
    void* p = nullptr;
    REEL_CUDA(cudaMallocHost(&p, bytes));
    m.blocks[static_cast<std::byte*>(p)].bytes = bytes;
    return p;
}
void pinned_free(void* p, std::size_t) {
    PinnedMemory& m = memory();
    const std::lock_guard lock(m.mutex);
    const Block& b = m.blocks[static_cast<std::byte*>(p)];
    m.kept[std::size_t(std::countr_zero(b.bytes))].push_back(static_cast<std::byte*>(p));
}
void pinned_used_on(const void* p, cudaStream_t stream) {
    PinnedMemory& m = memory();
    const std::lock_guard lock(m.mutex);
    const auto* const at = static_cast<const std::byte*>(p);
    auto after = m.blocks.upper_bound(at);
    if (after == m.blocks.begin()) return;
    Block& b = std::prev(after)->second;
    cudaEvent_t done = nullptr;
    REEL_CUDA(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    b.uses.push_back(done);
    REEL_CUDA(cudaEventRecord(done, stream));
}

} // namespace reel::cuda
