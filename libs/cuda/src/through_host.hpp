// Kernels that the host computes on copies: what the device has no function for yet, and what libraries for it compute
// on the host, too.
#pragma once

#include <array>
#include <tuple>
#include <utility>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/kernels/copy.hpp>

namespace reel::cuda {

/// A kernel's `function` for the CPU on copies of its tensors, of which those that its declaration says are written are
/// copied back. Waits for the device.
template <auto& kernel, auto function> struct ThroughHost;
template <auto& kernel, class... A, void (*function)(A...)> struct ThroughHost<kernel, function> {
    static void run(A... arguments) { run_with(std::index_sequence_for<A...>(), arguments...); }

private:
    static constexpr unsigned written = std::remove_reference_t<decltype(kernel)>::does::written;
    template <class T> static constexpr bool is_tensor = std::is_same_v<std::remove_cvref_t<T>, Tensor>;
    template <std::size_t... I> static void run_with(std::index_sequence<I...>, A... arguments) {
        const NoGradGuard guard;
        std::array<Tensor, sizeof...(A)> here;
        (take(here[I], arguments), ...);
        function(of<A>(here[I], arguments)...);
        (give_back(here[I], arguments, (written >> I & 1) != 0), ...);
    }
    template <class T> static void take(Tensor& here, const T& there) {
        if constexpr (is_tensor<T>)
            if (there.defined()) here = there.cpu();
    }
    template <class T, class Given> static decltype(auto) of(Tensor& here, Given& argument) {
        if constexpr (is_tensor<T>) return static_cast<const Tensor&>(here);
        else return static_cast<T>(argument);
    }
    template <class T> static void give_back(const Tensor& here, const T& there, bool changed) {
        if constexpr (is_tensor<T>)
            if (changed && there.defined()) kernels::copy.on(there, there, here, false);
    }
};

/// Sets it as the kernel's function for the device.
template <auto& kernel, auto function> void through_host() { kernel.set(kCUDA, &ThroughHost<kernel, function>::run); }

} // namespace reel::cuda
