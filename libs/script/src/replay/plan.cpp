// Binding memory and running programs.
#include "replay/plan.hpp"

#include <algorithm>

namespace reel::jit::replay {

void Plan::bind(int memory, const StoragePtr& storage, std::size_t offset) {
    const auto m = std::size_t(memory);
    char* const to = static_cast<char*>(storage->data()) + offset;
    at[m] = to;
    if (memories[m].bound.empty()) return;
    const StoragePtr here =
        offset == 0 ? storage : Storage::wrap(to, storage->nbytes() - offset, kCPU, nullptr, nullptr);
    for (const TensorImplPtr& t : memories[m].bound) t->set_storage(here);
}

void Plan::unbind(int memory) {
    at[std::size_t(memory)] = nullptr;
    for (const TensorImplPtr& t : memories[std::size_t(memory)].bound) t->set_storage({});
}

void Plan::use_saved(const StoragePtr& block) {
    if (block == saved_now) return;
    saved_now = block;
    // Tensors in it must not keep it: who may hand it out again counts its owners.
    const StoragePtr alias = Storage::wrap(block->data(), block->nbytes(), kCPU, nullptr, nullptr);
    for (std::size_t m = 0; m < memories.size(); ++m)
        if (regions[m] == Region::Saved) bind(int(m), alias, offsets[m]);
}

StoragePtr Plan::fresh_saved() {
    if (saved_bytes == 0) return {};
    const std::uint32_t ours = saved_now == saved_pool ? 2 : 1;
    if (!saved_pool || saved_pool->use_count() != ours) saved_pool = Storage::allocate(saved_bytes, kCPU);
    return saved_pool;
}

void Plan::run(const Program& program) {
    for (const Program::Item& item : program.items) {
        if (item.call) item.call->run();
        else item.group.run(at.data());
    }
}

StoragePtr Plan::take_kept(int memory) const {
    const auto it = std::ranges::find(kept, memory, &OuterGradient::memory);
    return it->step->take(memories[std::size_t(memory)].bytes);
}

void Plan::note_changes() const {
    for (const Change& c : changes)
        for (std::uint32_t i = 0; i < c.raises; ++i) memories[std::size_t(c.memory)].held.impl()->bump_version();
}

} // namespace reel::jit::replay
