// What a call of a kernel asks of its arguments.
#pragma once

#include <initializer_list>
#include <type_traits>

#include <reel/autograd/tensor.hpp>

namespace reel::detail {

/// Throws NotImplementedError, the same text for every op, that names the device and the dtype of `t`:
/// `mm: no kernel for device cuda:0 and dtype float32; available: cpu`. `has[d]`: there is one for that kind of device.
[[noreturn]] void throw_no_kernel(const char* op, const Tensor& t, const bool (&has)[device_types]);
/// Throws Error naming both devices unless all tensors that are defined live where `where` does.
void check_one_device(const char* op, const Tensor& where, std::initializer_list<const Tensor*> all);

template <class A> inline constexpr bool is_tensor = std::is_same_v<std::remove_cvref_t<A>, Tensor>;
template <class First, class... Rest> const Tensor& first_tensor(const First& first, const Rest&... rest) {
    if constexpr (is_tensor<First>) return first;
    else return first_tensor(rest...);
}
template <class A> const Tensor* tensor_or_null(const A& a) {
    if constexpr (is_tensor<A>) return &a;
    else return nullptr;
}
/// What errors call the op: its own word for itself where it hands one on as the first argument.
template <class First, class... Rest> const char* caller_or(const char* name, const First& first, const Rest&...) {
    if constexpr (std::is_same_v<First, const char*>) return first;
    else return name;
}
/// Does every bit of `written` stand for an argument that is a tensor?
template <class... A> constexpr bool are_tensors(unsigned written) {
    unsigned others = ~0u, bit = 1;
    ((others &= is_tensor<A> ? ~bit : ~0u, bit <<= 1), ...);
    return (written & others) == 0;
}
/// What a kernel without words of its own writes: nobody knows.
struct Unsaid {
    static constexpr unsigned written = 0;
};

} // namespace reel::detail
