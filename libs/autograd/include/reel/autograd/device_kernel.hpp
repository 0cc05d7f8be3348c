// Kernel slots: how a device library attaches its kernels to an op by name.
#pragma once

#include <type_traits>
#include <typeinfo>

#include <reel/autograd/device.hpp>
#include <reel/autograd/error.hpp>

namespace reel {

/// Untyped part of a slot; slots are found by name when a device library attaches.
class KernelSlotBase {
public:
    using AnyFn = void (*)();
    KernelSlotBase(const char* name, const std::type_info& signature);
    const char* name() const { return name_; }
    const std::type_info& signature() const { return signature_; }
    void set(DeviceType d, AnyFn fn) { fns_[int(d)] = fn; }
    bool has(DeviceType d) const { return fns_[int(d)] != nullptr; }

protected:
    [[noreturn]] void throw_missing(DeviceType d) const;
    const char* name_;
    const std::type_info& signature_;
    AnyFn fns_[3] = {};
};

/// One kernel per device for one op: `inline KernelSlot<void(const Tensor& out, ...)> mm_kernel{"mm"};`.
/// Calling without a kernel for the device throws NotImplementedError naming the op, the device and those available. On
/// meta a kernel that fills results has nothing to do: their shapes and dtypes are all that there is.
template <class Sig> class KernelSlot;
template <class R, class... A> class KernelSlot<R(A...)> : public KernelSlotBase {
public:
    using Fn = R (*)(A...);
    explicit KernelSlot(const char* name, Fn cpu = nullptr) : KernelSlotBase(name, typeid(R(A...))) {
        if (cpu) set(kCPU, cpu);
    }
    void set(DeviceType d, Fn fn) { KernelSlotBase::set(d, reinterpret_cast<AnyFn>(fn)); }
    R operator()(DeviceType d, A... a) const {
        if (!has(d)) [[unlikely]] {
            if constexpr (std::is_void_v<R>)
                if (d == kMeta) return;
            throw_missing(d);
        }
        return reinterpret_cast<Fn>(fns_[int(d)])(static_cast<A>(a)...);
    }
};

/// The slot of that name, null if there is none.
KernelSlotBase* find_kernel_slot(const char* name);
/// Attaches a device's kernel; throws KeyError for an unknown name and TypeError for another signature.
void attach_kernel_fn(const char* name, DeviceType d, const std::type_info& signature, KernelSlotBase::AnyFn fn);
template <class Sig> void attach_kernel(const char* name, DeviceType d, Sig* fn) {
    attach_kernel_fn(name, d, typeid(Sig), reinterpret_cast<KernelSlotBase::AnyFn>(fn));
}

} // namespace reel
