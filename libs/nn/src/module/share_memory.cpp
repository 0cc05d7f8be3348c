// Tensors of a module in memory that forked processes share.
#include <boost/interprocess/anonymous_shared_memory.hpp>

#include <cstring>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include <reel/nn/module.hpp>

#include "module/members.hpp"

namespace reel::nn {

namespace {
namespace ipc = boost::interprocess;

std::mutex shared_mutex;
/// What is shared already.
std::unordered_set<const void*>& shared_blocks() {
    static auto* blocks = new std::unordered_set<const void*>; // tensors may outlive static objects
    return *blocks;
}
void unmap(void* data, std::size_t, void* context) {
    {
        const std::lock_guard lock(shared_mutex);
        shared_blocks().erase(data);
    }
    delete static_cast<ipc::mapped_region*>(context); // the pages go with the last process that maps them
}
StoragePtr shared_copy(const Storage& from) {
    auto region = std::make_unique<ipc::mapped_region>(ipc::anonymous_shared_memory(from.nbytes()));
    std::memcpy(region->get_address(), from.data(), from.nbytes());
    void* data = region->get_address();
    {
        const std::lock_guard lock(shared_mutex);
        shared_blocks().insert(data);
    }
    StoragePtr storage = Storage::wrap(data, from.nbytes(), from.device(), unmap, region.get());
    region.release();
    return storage;
}
bool is_shared(const Storage& s) {
    const std::lock_guard lock(shared_mutex);
    return shared_blocks().contains(s.data());
}
} // namespace

void Module::share_memory() {
    for (const auto& item : module_items({}, true))
        REEL_CHECK(!detail::Entry::has_flag(*item.second, detail::lazy_flag), repr_name(), ": share_memory: '",
                   item.first, "' (", item.second->repr_name(), ") waits for its first input. Call the module first");
    for (const auto& item : module_items({}, true))
        for (const auto* table : {&item.second->own_parameters(), &item.second->own_buffers()})
            for (const auto& t : *table)
                REEL_CHECK(!t->defined() || t->device().is_cpu(), repr_name(), ": share_memory: '", item.first,
                           item.first.empty() ? "" : ".", t.key(), "' is on ", t->device(),
                           "; only CPU tensors can be shared. Call cpu() first");
    // Tensors over one storage stay over one storage.
    struct Move {
        StoragePtr from, to; // `from` keeps its address taken
    };
    std::unordered_map<const Storage*, Move> moved;
    convert([&](const Tensor& t) {
        const StoragePtr old = t.storage();
        if (!old || old->nbytes() == 0 || is_shared(*old)) return t;
        Move& move = moved[old.get()];
        if (!move.to) move = {old, shared_copy(*old)};
        TensorImplPtr impl(new TensorImpl(move.to, t.scalar_type(), t.device()));
        impl->set_geometry(t.sizes(), t.strides(), t.storage_offset());
        t.set_data(Tensor(std::move(impl))); // the same object: buffers and members see it too
        return t;
    });
}

} // namespace reel::nn
