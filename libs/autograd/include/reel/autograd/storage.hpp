// A counted block of device memory together with the version counter of the tensors on it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <reel/autograd/device.hpp>
#include <reel/autograd/intrusive_ptr.hpp>

namespace reel {

class Storage;
namespace detail {
class DeferredContents;
}

/// Frees what a storage points to. `context` is whatever the storage was made with.
using StorageDeleter = void (*)(void* data, std::size_t nbytes, void* context);

/// A storage's memory, as libtorch hands it out.
struct DataPtr {
    void* data;
    void* context;
    Device on;
    void* get() const { return data; }
    void* get_context() const { return context; }
    Device device() const { return on; }
    explicit operator bool() const { return data != nullptr; }
};

/// Handles of storages answer themselves, as libtorch's do: `x.storage().nbytes()`.
template <> struct PointerMembers<Storage> {
    void* data() const;
    std::size_t nbytes() const;
    Device device() const;
    DataPtr data_ptr() const;

private:
    Storage* self() const;
};

/// Memory shared by a tensor, its views and its detached aliases. All of them share `version` (rule E-38).
class Storage final : public RefCounted {
public:
    /// Allocates `nbytes` on `device`. CPU memory is 64-byte aligned and comes from the caching allocator.
    static intrusive_ptr<Storage> allocate(std::size_t nbytes, Device device);
    /// Wraps foreign memory; `deleter` (may be null) runs when the last tensor goes.
    static intrusive_ptr<Storage> wrap(void* data, std::size_t nbytes, Device device, StorageDeleter deleter,
                                       void* context);

    /// Memory of the host that is allocated and written when somebody asks for it, for the first time and on whatever
    /// thread, or never (reel/autograd/detail/deferred_contents.hpp).
    static intrusive_ptr<Storage> defer(std::size_t nbytes, std::unique_ptr<const detail::DeferredContents> contents);
    /// What is going to be written, as long as nobody has asked; else null.
    const detail::DeferredContents* deferred() const;

    /// Page-locked memory of the host, for copies that CUDA devices make by themselves. Throws Error without a device.
    static intrusive_ptr<Storage> allocate_pinned(std::size_t nbytes);

    void* data() const {
        if (void* const there = data_.load(std::memory_order_acquire)) [[likely]]
            return there;
        return data_when_asked();
    }
    std::size_t nbytes() const { return nbytes_; }
    Device device() const { return device_; }
    /// What its deleter gets; null when nobody else's memory was wrapped.
    void* context() const { return context_; }
    bool is_pinned() const;
    std::uint32_t version() const { return counter().version_.load(std::memory_order_relaxed); }
    void bump_version() { detail::add_shared(counter().version_, 1u); }
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
    void* data_when_asked() const;
    const Storage& counter() const { return counter_ ? *counter_ : *this; }
    Storage& counter() { return counter_ ? *counter_ : *this; }

    mutable std::atomic<void*> data_; ///< null: there is none, or it is deferred
    std::size_t nbytes_;
    void* context_;
    StorageDeleter deleter_;
    Device device_;
    std::atomic<std::uint32_t> version_{0};
    intrusive_ptr<Storage> counter_; ///< null: this one counts
};

inline Storage* PointerMembers<Storage>::self() const {
    return static_cast<const intrusive_ptr<Storage>*>(this)->get();
}
inline void* PointerMembers<Storage>::data() const { return self() ? self()->data() : nullptr; }
inline std::size_t PointerMembers<Storage>::nbytes() const { return self() ? self()->nbytes() : 0; }
inline Device PointerMembers<Storage>::device() const { return self() ? self()->device() : Device(kCPU); }
inline DataPtr PointerMembers<Storage>::data_ptr() const {
    return {data(), self() ? self()->context() : nullptr, device()};
}

} // namespace reel
