// Kernels that the host computes on copies: what the device has no function for yet, and what libraries for it compute
// on the host, too.
#pragma once

#include <array>
#include <tuple>
#include <utility>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/kernels/copy.hpp>

namespace reel::cuda {

/// `function` on copies of its tensors, of which the first `written` are copied back. Waits for the device.
template <auto function, int written> struct ThroughHost;
template <class... A, void (*function)(A...), int written> struct ThroughHost<function, written> {
    static void run(A... arguments) { run_with(std::index_sequence_for<A...>(), arguments...); }

private:
    template <class T> static constexpr bool is_tensor = std::is_same_v<std::remove_cvref_t<T>, Tensor>;
    template <std::size_t... I> static void run_with(std::index_sequence<I...>, A... arguments) {
        const NoGradGuard guard;
        std::array<Tensor, sizeof...(A)> here;
        (take(here[I], arguments), ...);
        function(of<A>(here[I], arguments)...);
        int met = 0;
        (give_back(here[I], arguments, met), ...);
    }
    template <class T> static void take(Tensor& here, const T& there) {
        if constexpr (is_tensor<T>)
            if (there.defined()) here = there.cpu();
    }
    template <class T, class Given> static decltype(auto) of(Tensor& here, Given& argument) {
        if constexpr (is_tensor<T>) return static_cast<const Tensor&>(here);
        else return static_cast<T>(argument);
    }
    template <class T> static void give_back(const Tensor& here, const T& there, int& met) {
        if constexpr (is_tensor<T>)
            if (met++ < written && there.defined()) kernels::copy.on(there, there, here, false);
    }
};

/// Sets it as the kernel's function for the device.
template <auto function, int written, class Signature> void through_host(Kernel<Signature>& kernel) {
    kernel.set(kCUDA, &ThroughHost<function, written>::run);
}

} // namespace reel::cuda
