// Blocks of device memory, kept between uses: the driver is asked for segments, which are cut into blocks and joined
// again. Within a stream a block can be used again at once, since the stream runs in order; whoever else worked with it
// (used_on) is waited for by events.
#include <array>
#include <cstdlib>
#include <mutex>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "allocator.hpp"
#include "capturing.hpp"
#include "check.hpp"
#include "event_pool.hpp"

namespace reel::cuda {

namespace {

constexpr std::size_t granule = 512;                      // as a warp's widest loads like it
constexpr std::size_t small_block = std::size_t(1) << 20; // up to here blocks share small segments
constexpr std::size_t small_segment = std::size_t(2) << 20;
constexpr std::size_t medium_block = std::size_t(10) << 20; // above, a segment is one block at first
constexpr std::size_t large_segment = std::size_t(20) << 20;

std::size_t rounded(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }
std::size_t segment_for(std::size_t bytes) {
    if (bytes <= small_block) return small_segment;
    return bytes < medium_block ? large_segment : rounded(bytes, small_segment);
}

struct Block {
    std::byte* begin = nullptr;
    std::size_t bytes = 0;
    cudaStream_t stream = nullptr;
    bool small = false;
    bool free = false;
    Block *before = nullptr, *after = nullptr; ///< neighbours in the segment
    std::vector<cudaStream_t> used_on;
    int events = 0; ///< that must be reached before it is free
};
struct BestFit {
    static auto key(const Block* b) { return std::tuple(b->stream, b->bytes, b->begin); }
    bool operator()(const Block* a, const Block* b) const { return key(a) < key(b); }
};

class BlockCache final : public Allocator {
public:
    explicit BlockCache(DeviceIndex device) : device_(device) {
        const char* const text = std::getenv("REEL_CUDA_POISON");
        poison_ = text && *text == '1';
    }
    ~BlockCache() override { // of a graph that is gone, with its last tensor
        const std::lock_guard lock(mutex_);
        for (Block* b : held_) give_back(*b);
        release_segments();
    }
    void* allocate(std::size_t bytes, cudaStream_t stream) override {
        bytes = rounded(bytes, granule);
        const std::lock_guard lock(mutex_);
        if (!capture_memory(device_)) reclaim(false); // whose events may not be asked during a capture
        Block* b = best_fit(bytes, stream);
        if (!b) b = new_segment(bytes, stream);
        cut(*b, bytes);
        used_[b->begin] = b;
        stats_.allocations += 1;
        stats_.allocated_bytes += b->bytes;
        stats_.peak_allocated_bytes = std::max(stats_.peak_allocated_bytes, stats_.allocated_bytes);
        return b->begin;
    }
    void free(void* p) noexcept override {
        const std::lock_guard lock(mutex_);
        const auto found = used_.find(p);
        if (found == used_.end()) return;
        Block& b = *found->second;
        used_.erase(found);
        stats_.allocated_bytes -= b.bytes;
        if (capture_memory(device_)) { // other streams of the graph: it is not used again before the graph ends
            if (!b.used_on.empty()) return held_.push_back(&b);
        } else
            for (const cudaStream_t s : b.used_on)
                if (cudaEvent_t e = events_.recorded(s)) {
                    pending_.emplace_back(e, &b);
                    ++b.events;
                } else cudaStreamSynchronize(s);
        b.used_on.clear();
        if (b.events == 0) give_back(b);
    }
    void used_on(void* p, cudaStream_t stream) override {
        const std::lock_guard lock(mutex_);
        const auto found = used_.find(p);
        if (found == used_.end() || found->second->stream == stream) return;
        auto& streams = found->second->used_on;
        if (std::find(streams.begin(), streams.end(), stream) == streams.end()) streams.push_back(stream);
    }
    MemoryStats stats() override {
        const std::lock_guard lock(mutex_);
        return stats_;
    }
    void reset_peaks() override {
        const std::lock_guard lock(mutex_);
        stats_.peak_allocated_bytes = stats_.allocated_bytes;
        stats_.peak_reserved_bytes = stats_.reserved_bytes;
    }
    void release() override {
        const std::lock_guard lock(mutex_);
        release_segments();
    }

private:
    using FreeBlocks = std::set<Block*, BestFit>;
    FreeBlocks& free_blocks(const Block& b) { return free_[b.small ? 0 : 1]; }

    Block* best_fit(std::size_t bytes, cudaStream_t stream) {
        Block wanted;
        wanted.stream = stream;
        wanted.bytes = bytes;
        wanted.small = bytes <= small_block;
        FreeBlocks& all = free_blocks(wanted);
        const auto found = all.lower_bound(&wanted);
        if (found == all.end() || (*found)->stream != stream) return nullptr;
        Block* const b = *found;
        all.erase(found);
        b->free = false;
        return b;
    }
    /// From the driver; when it has no more, after all that is kept was given back to it.
    Block* new_segment(std::size_t bytes, cudaStream_t stream) {
        std::size_t size = segment_for(bytes);
        void* p = nullptr;
        cudaError_t status = cudaMalloc(&p, size);
        if (status == cudaErrorMemoryAllocation) {
            cudaGetLastError();
            ++stats_.alloc_retries;
            release_segments();
            size = std::min(size, rounded(bytes, small_segment)); // no larger than it must be
            status = cudaMalloc(&p, size);
        }
        if (status == cudaErrorMemoryAllocation) {
            cudaGetLastError();
            ++stats_.ooms;
            throw_out_of_memory(device_, bytes, stats_);
        }
        check(status, "cudaMalloc");
        ++stats_.segments;
        stats_.reserved_bytes += size;
        stats_.peak_reserved_bytes = std::max(stats_.peak_reserved_bytes, stats_.reserved_bytes);
        auto* const b = new Block;
        b->begin = static_cast<std::byte*>(p);
        b->bytes = size;
        b->stream = stream;
        b->small = bytes <= small_block;
        return b;
    }
    /// Leaves `bytes` to `b`, frees the rest where it is worth keeping.
    void cut(Block& b, std::size_t bytes) {
        const std::size_t rest = b.bytes - bytes;
        if (b.small ? rest < granule : rest <= small_block) return;
        auto* const r = new Block;
        r->begin = b.begin + bytes;
        r->bytes = rest;
        r->stream = b.stream;
        r->small = b.small;
        r->before = &b;
        r->after = b.after;
        if (r->after) r->after->before = r;
        b.after = r;
        b.bytes = bytes;
        r->free = true;
        free_blocks(*r).insert(r);
    }
    void give_back(Block& b) {
        // whoever still reads there, on a stream that nobody told of, gets numbers that are none
        if (poison_ && !capture_memory(device_)) cudaMemsetAsync(b.begin, 0xff, b.bytes, b.stream);
        join(b, b.before);
        join(b, b.after);
        b.free = true;
        free_blocks(b).insert(&b);
    }
    /// Takes a free neighbour into `b`.
    void join(Block& b, Block* other) {
        if (!other || !other->free) return;
        free_blocks(*other).erase(other);
        if (other == b.before) {
            b.begin = other->begin;
            b.before = other->before;
            if (b.before) b.before->after = &b;
        } else {
            b.after = other->after;
            if (b.after) b.after->before = &b;
        }
        b.bytes += other->bytes;
        delete other;
    }
    /// Frees the blocks whose last users have run; `wait` for those that have not.
    void reclaim(bool wait) {
        std::size_t kept = 0;
        for (auto& [event, block] : pending_) {
            if (wait) cudaEventSynchronize(event);
            else if (!events_.reached(event)) {
                pending_[kept++] = {event, block};
                continue;
            }
            events_.give_back(event);
            if (--block->events == 0) give_back(*block);
        }
        pending_.resize(kept);
    }
    void release_segments() {
        reclaim(true);
        for (FreeBlocks& all : free_)
            for (auto i = all.begin(); i != all.end();) {
                Block* const b = *i;
                if (b->before || b->after) {
                    ++i;
                    continue;
                }
                i = all.erase(i);
                cudaFree(b->begin); // waits for the device
                --stats_.segments;
                stats_.reserved_bytes -= b->bytes;
                delete b;
            }
    }

    DeviceIndex device_;
    bool poison_ = false;
    std::mutex mutex_;
    std::array<FreeBlocks, 2> free_; ///< small ones, large ones
    std::unordered_map<const void*, Block*> used_;
    std::vector<std::pair<cudaEvent_t, Block*>> pending_;
    std::vector<Block*> held_; ///< freed in a capture that used them on several streams
    EventPool events_;
    MemoryStats stats_;
};

} // namespace

std::unique_ptr<Allocator> make_block_cache(DeviceIndex device) { return std::make_unique<BlockCache>(device); }

} // namespace reel::cuda
