// A counted block of device memory together with the version counter of the tensors on it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <reel/autograd/device.hpp>
#include <reel/autograd/intrusive_ptr.hpp>

namespace reel {

/// Frees what a storage points to. `context` is whatever the storage was made with.
using StorageDeleter = void (*)(void* data, std::size_t nbytes, void* context);

/// Memory shared by a tensor, its views and its detached aliases. All of them share `version` (rule E-38).
class Storage final : public RefCounted {
public:
    /// Allocates `nbytes` on `device`. CPU memory is 64-byte aligned and comes from the caching allocator.
    static intrusive_ptr<Storage> allocate(std::size_t nbytes, Device device);
    /// Wraps foreign memory; `deleter` (may be null) runs when the last tensor goes.
    static intrusive_ptr<Storage> wrap(void* data, std::size_t nbytes, Device device, StorageDeleter deleter,
                                       void* context);

    /// Page-locked memory of the host, for copies that CUDA devices make by themselves. Throws Error without a device.
    static intrusive_ptr<Storage> allocate_pinned(std::size_t nbytes);

    void* data() const { return data_; }
    std::size_t nbytes() const { return nbytes_; }
    Device device() const { return device_; }
    bool is_pinned() const;
    std::uint32_t version() const { return counter().version_.load(std::memory_order_relaxed); }
    void bump_version() { counter().version_.fetch_add(1, std::memory_order_relaxed); }
    void set_version(std::uint32_t v) { counter().version_.store(v, std::memory_order_relaxed); }
    /// The family's counter as an object of its own, without memory: a member that takes other memory keeps counting
    /// with the others through it (E-38).
    intrusive_ptr<Storage> shared_counter();

    static void release(Storage* s) {
        if (s->drop_ref()) destroy(s);
    }

private:
    Storage(void* data, std::size_t nbytes, Device device, StorageDeleter deleter, void* context)
        : data_(data), nbytes_(nbytes), context_(context), deleter_(deleter), device_(device) {}
    static void destroy(Storage* s);
    const Storage& counter() const { return counter_ ? *counter_ : *this; }
    Storage& counter() { return counter_ ? *counter_ : *this; }

    void* data_;
    std::size_t nbytes_;
    void* context_;
    StorageDeleter deleter_;
    Device device_;
    std::atomic<std::uint32_t> version_{0};
    intrusive_ptr<Storage> counter_; ///< null: this one counts
};

} // namespace reel
