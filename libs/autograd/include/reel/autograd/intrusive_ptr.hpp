// A one-word counted pointer for objects that carry their own count.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <reel/autograd/detail/shared_counter.hpp>

namespace reel {

/// Base of counted objects. The count starts at zero; the first `intrusive_ptr` makes it one.
class RefCounted {
public:
    RefCounted() = default;
    RefCounted(const RefCounted&) = delete;
    RefCounted& operator=(const RefCounted&) = delete;

    std::uint32_t use_count() const noexcept { return count_.load(std::memory_order_acquire); }
    void add_ref() const noexcept { detail::add_shared(count_, 1u); }
    /// The same where it may be the first reference, which needs no locked instruction: nobody else has the object.
    void add_first_ref() const noexcept {
        if (count_.load(std::memory_order_relaxed) == 0) count_.store(1, std::memory_order_relaxed);
        else add_ref();
    }
    /// True when this was the last reference.
    bool drop_ref() const noexcept {
        // The sole owner needs no locked instruction.
        if (count_.load(std::memory_order_acquire) == 1) {
            count_.store(0, std::memory_order_relaxed);
            return true;
        }
        return step_down();
    }
    /// The same for objects that `try_add_ref` may find meanwhile: the last step down must be one atomic step.
    bool drop_watched_ref() const noexcept { return step_down(); }
    /// Takes a reference unless the object is already dying; for weak look-ups under a lock.
    bool try_add_ref() const noexcept {
        std::uint32_t n = count_.load(std::memory_order_relaxed);
        while (n != 0)
            if (detail::exchange_shared(count_, n, n + 1)) return true;
        return false;
    }

protected:
    ~RefCounted() = default;

private:
    bool step_down() const noexcept { return detail::add_shared(count_, ~0u, std::memory_order_acq_rel) == 1; }
    mutable std::atomic<std::uint32_t> count_{0};
};

/// What a pointer to T answers itself, beside `->`: nothing unless it is specialized, next to T.
template <class T> struct PointerMembers {};

/// Counted pointer; `T` provides `add_ref()` and a static `release(T*)` that drops one reference and frees at zero.
template <class T> class intrusive_ptr : public PointerMembers<T> {
public:
    constexpr intrusive_ptr() noexcept = default;
    constexpr intrusive_ptr(std::nullptr_t) noexcept {}
    explicit intrusive_ptr(T* p) noexcept : p_(p) {
        if (p_) p_->add_first_ref();
    }
    intrusive_ptr(const intrusive_ptr& o) noexcept : p_(o.p_) {
        if (p_) p_->add_ref();
    }
    intrusive_ptr(intrusive_ptr&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
    template <class U>
    requires std::is_convertible_v<U*, T*> intrusive_ptr(intrusive_ptr<U> o)
    noexcept : p_(o.detach()) {}
    ~intrusive_ptr() {
        if (p_) T::release(p_);
    }
    intrusive_ptr& operator=(const intrusive_ptr& o) noexcept {
        intrusive_ptr(o).swap(*this);
        return *this;
    }
    intrusive_ptr& operator=(intrusive_ptr&& o) noexcept {
        intrusive_ptr(std::move(o)).swap(*this);
        return *this;
    }

    T* get() const noexcept { return p_; }
    T* operator->() const noexcept { return p_; }
    T& operator*() const noexcept { return *p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    /// A shared pointer that holds one reference: `std::shared_ptr<Node> fn = x.grad_fn()`.
    template <class U>
    requires std::is_convertible_v<T*, U*>
    operator std::shared_ptr<U>() const {
        return p_ ? std::shared_ptr<U>(p_, [self = *this](U*) {}) : nullptr;
    }
    void reset() noexcept { intrusive_ptr().swap(*this); }
    void swap(intrusive_ptr& o) noexcept { std::swap(p_, o.p_); }
    /// Gives up ownership without dropping the reference.
    T* detach() noexcept { return std::exchange(p_, nullptr); }
    /// Takes over a reference that somebody else counted.
    static intrusive_ptr adopt(T* p) noexcept {
        intrusive_ptr r;
        r.p_ = p;
        return r;
    }
    friend bool operator==(const intrusive_ptr& a, const intrusive_ptr& b) noexcept { return a.p_ == b.p_; }
    friend bool operator==(const intrusive_ptr& a, std::nullptr_t) noexcept { return a.p_ == nullptr; }

private:
    T* p_ = nullptr;
};

} // namespace reel
