// The one way by which code for the host comes to a tensor's memory.
#pragma once

#include <type_traits>

#include <reel/autograd/tensor.hpp>

namespace reel {

namespace detail {
/// Throws what a kernel without a function for the tensor's device throws; the CPU has one.
[[noreturn]] void throw_not_on_host(const char* op, const Tensor& t);
} // namespace detail

/// Throws what `host_data` throws: for ops whose results, or their shapes, depend on values, before anything is done.
inline void require_host(const Tensor& t, const char* op) {
    if (!t.is_cpu()) [[unlikely]]
        detail::throw_not_on_host(op, t);
}

/// The first element of `t`, for loops that run on the host on behalf of `op`. Without `T` an untyped pointer.
/// Errors: NotImplementedError `op: no kernel for device cuda:0 and dtype float32; available: cpu` for a tensor
/// elsewhere, on meta, too; TypeError unless `T` is the element type.
template <class T = void> T* host_data(const Tensor& t, const char* op) {
    require_host(t, op);
    if constexpr (std::is_void_v<T>) return t.data_ptr();
    else return t.data_ptr<T>();
}
/// The same, null for an undefined tensor.
template <class T = void> T* host_data_or_null(const Tensor& t, const char* op) {
    return t.defined() ? host_data<T>(t, op) : nullptr;
}

} // namespace reel
