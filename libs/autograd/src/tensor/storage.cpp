// Allocation of storages. Small CPU blocks hold header and data in one allocation.
#include <reel/autograd/storage.hpp>

#include <new>
#include <utility>

#include <reel/autograd/detail/allocation_guard.hpp>
#include <reel/autograd/detail/deferred_contents.hpp>
#include <reel/autograd/detail/launch_observer.hpp>
#include <reel/autograd/device_hooks.hpp>
#include <reel/autograd/error.hpp>
#include <reel/autograd/memory.hpp>

namespace reel {

DeviceHooks& device_hooks(DeviceType type) {
    static DeviceHooks hooks[3];
    return hooks[int(type)];
}

namespace {
constexpr std::size_t header_bytes = 64; // keeps the data 64-byte aligned
static_assert(sizeof(Storage) <= header_bytes);
constexpr std::size_t inline_limit = 4096;

void free_cpu(void* data, std::size_t nbytes, void*) { cpu_free(data, nbytes); }
void free_device(void* data, std::size_t nbytes, void* context) {
    const auto code = reinterpret_cast<std::uintptr_t>(context);
    device_hooks(DeviceType(code & 0xff)).free(data, nbytes, DeviceIndex(code >> 8));
}
void free_pinned(void* data, std::size_t nbytes, void*) { device_hooks(kCUDA).pinned_free(data, nbytes); }
intrusive_ptr<Storage> made(Storage* s, bool fresh) {
    intrusive_ptr<Storage> r(s);
    if (detail::launch_observer) [[unlikely]]
        detail::note_storage(*s, fresh);
    return r;
}
thread_local detail::AllocationGuard guard = nullptr;
void ask_guard(std::size_t nbytes) {
    if (guard && nbytes > inline_limit) [[unlikely]]
        guard(nbytes);
}

const detail::DeferredContents* contents_in(void* context) {
    return static_cast<const detail::DeferredContents*>(context);
}
void free_deferred(void* data, std::size_t nbytes, void* context) {
    delete contents_in(context);
    if (data) cpu_free(data, nbytes);
}
} // namespace

detail::AllocationGuard detail::set_allocation_guard(AllocationGuard g) { return std::exchange(guard, g); }

intrusive_ptr<Storage> Storage::allocate(std::size_t nbytes, Device device) {
    if (!device.is_meta()) ask_guard(nbytes);
    if (device.is_cpu()) {
        if (nbytes <= inline_limit) {
            char* block = static_cast<char*>(cpu_alloc(header_bytes + nbytes));
            return made(new (block) Storage(block + header_bytes, nbytes, device, nullptr, block), true);
        }
        void* data = cpu_alloc(nbytes);
        void* block = cpu_alloc(sizeof(Storage));
        return made(new (block) Storage(data, nbytes, device, &free_cpu, nullptr), true);
    }
    if (device.is_meta()) return wrap(nullptr, nbytes, device, nullptr, nullptr);
    const DeviceHooks& hooks = device_hooks(device.type());
    REEL_CHECK(hooks.alloc, "device ", device, " is not available: ",
               hooks.unavailable_reason ? hooks.unavailable_reason() : "the program is not linked with libreel_cuda");
    const DeviceIndex index = device.has_index() ? device.index() : hooks.current_device();
    const std::uintptr_t code = std::uintptr_t(device.type()) | std::uintptr_t(std::uint8_t(index)) << 8;
    void* data = hooks.alloc(nbytes, index);
    void* block = cpu_alloc(sizeof(Storage));
    return intrusive_ptr<Storage>(
        new (block) Storage(data, nbytes, Device(device.type(), index), &free_device, reinterpret_cast<void*>(code)));
}

intrusive_ptr<Storage> Storage::wrap(void* data, std::size_t nbytes, Device device, StorageDeleter deleter,
                                     void* context) {
    return made(new (cpu_alloc(sizeof(Storage))) Storage(data, nbytes, device, deleter, context), false);
}

intrusive_ptr<Storage> Storage::defer(std::size_t nbytes, std::unique_ptr<const detail::DeferredContents> contents) {
    REEL_INTERNAL_ASSERT(nbytes > 0, "a deferred storage without elements");
    void* const block = cpu_alloc(sizeof(Storage));
    void* const context = const_cast<detail::DeferredContents*>(contents.release());
    return made(new (block) Storage(nullptr, nbytes, kCPU, &free_deferred, context), true);
}
const detail::DeferredContents* Storage::deferred() const {
    const bool waits = deleter_ == &free_deferred && !data_.load(std::memory_order_acquire);
    return waits ? contents_in(context_) : nullptr;
}
void* Storage::data_when_asked() const {
    if (deleter_ != &free_deferred) return nullptr;
    const detail::DeferredContents& contents = *contents_in(context_);
    const std::lock_guard guard(contents.mutex_);
    if (void* const there = data_.load(std::memory_order_acquire)) return there; // another thread asked, too
    ask_guard(nbytes_);
    void* const fresh = cpu_alloc(nbytes_);
    contents.write(static_cast<char*>(fresh));
    data_.store(fresh, std::memory_order_release);
    return fresh;
}

intrusive_ptr<Storage> Storage::allocate_pinned(std::size_t nbytes) {
    const DeviceHooks& hooks = device_hooks(kCUDA);
    REEL_CHECK(hooks.pinned_alloc && hooks.device_count() > 0, "pin_memory: no CUDA device can be used: ",
               hooks.unavailable_reason ? hooks.unavailable_reason() : "the program is not linked with libreel_cuda");
    return wrap(hooks.pinned_alloc(nbytes), nbytes, kCPU, &free_pinned, nullptr);
}
bool Storage::is_pinned() const { return deleter_ == &free_pinned; }

intrusive_ptr<Storage> Storage::shared_counter() {
    if (!counter_) {
        counter_ = wrap(nullptr, 0, device_, nullptr, nullptr);
        counter_->version_.store(version_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    }
    return counter_;
}

void Storage::destroy(Storage* s) {
    const std::size_t nbytes = s->nbytes_;
    if (s->context_ == s && !s->deleter_) { // header and data in one block
        s->~Storage();
        cpu_free(s, header_bytes + nbytes);
        return;
    }
    if (s->deleter_) s->deleter_(s->data_, nbytes, s->context_);
    s->~Storage();
    cpu_free(s, sizeof(Storage));
}

} // namespace reel
