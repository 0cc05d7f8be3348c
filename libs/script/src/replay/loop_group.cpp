// Running a group: blocks in parallel where there are many, loops one after the other in each.
#include "replay/loop_group.hpp"

#include <algorithm>
#include <new>

#include <reel/autograd/parallel.hpp>

namespace reel::jit::replay {

namespace {
/// Memory of this thread for what the loops of a group hand on.
class OwnMemory {
public:
    ~OwnMemory() { free(); }
    char* of(std::size_t bytes) {
        if (bytes > size_) {
            free();
            data_ = static_cast<char*>(::operator new(bytes, std::align_val_t(64)));
            size_ = bytes;
        }
        return data_;
    }

private:
    void free() { ::operator delete(data_, std::align_val_t(64)); }
    char* data_ = nullptr;
    std::size_t size_ = 0;
};
char* own_memory(std::size_t bytes) {
    thread_local OwnMemory memory;
    return bytes ? memory.of(bytes) : nullptr;
}
} // namespace

void LoopGroup::run(char* const* at) const {
    constexpr std::int64_t grain = 32768 / block; // as the loops' own
    const std::int64_t blocks = (count + block - 1) / block;
    if (blocks <= grain) return run_part(at, 0, count);
    parallel_for(0, blocks, grain,
                 [&](std::int64_t b, std::int64_t e) { run_part(at, b * block, std::min(count, e * block)); });
}

void LoopGroup::run_part(char* const* at, std::int64_t begin, std::int64_t end) const {
    char* const mine = own_memory(own_bytes);
    // A single loop needs no blocks.
    const std::int64_t length = loops.size() == 1 ? end - begin : block;
    for (std::int64_t b = begin; b < end; b += length) {
        const std::int64_t n = std::min(length, end - b);
        for (const Loop& l : loops) {
            char* data[FlatLoop::most];
            std::int64_t steps[FlatLoop::most];
            for (int i = 0; i < l.flat.operands; ++i) {
                const Place& p = l.flat.places[i];
                steps[i] = p.step;
                if (p.memory < 0) data[i] = const_cast<char*>(l.flat.number);
                else if (l.own[i]) data[i] = mine + p.offset;
                else data[i] = at[p.memory] + p.offset + b * p.step;
            }
            l.flat.loop(data, steps, n, l.flat.rule.data());
        }
    }
}

} // namespace reel::jit::replay
