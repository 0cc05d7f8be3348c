// Kernel slots by name.
#include <reel/autograd/device_kernel.hpp>

#include <cstring>
#include <vector>

namespace reel {

namespace {
std::vector<KernelSlotBase*>& slots() {
    static std::vector<KernelSlotBase*> all;
    return all;
}
} // namespace

KernelSlotBase::KernelSlotBase(const char* name, const std::type_info& signature) : name_(name), signature_(signature) {
    slots().push_back(this);
}
void KernelSlotBase::throw_missing(DeviceType d) const {
    std::string have;
    for (const DeviceType t : {kCPU, kCUDA})
        if (has(t)) have += (have.empty() ? "" : ", ") + std::string(device_type_name(t));
    REEL_THROW(NotImplementedError, name_, ": no kernel for ", device_type_name(d),
               "; available: ", have.empty() ? "none" : have);
}
KernelSlotBase* find_kernel_slot(const char* name) {
    for (KernelSlotBase* s : slots())
        if (std::strcmp(s->name(), name) == 0) return s;
    return nullptr;
}
void attach_kernel_fn(const char* name, DeviceType d, const std::type_info& signature, KernelSlotBase::AnyFn fn) {
    KernelSlotBase* slot = find_kernel_slot(name);
    if (!slot) REEL_THROW(KeyError, "attach_kernel: there is no kernel slot '", name, "'");
    REEL_CHECK_TYPE(slot->signature() == signature, "attach_kernel: the kernel for '", name,
                    "' has another signature than its slot");
    slot->set(d, fn);
}

} // namespace reel
