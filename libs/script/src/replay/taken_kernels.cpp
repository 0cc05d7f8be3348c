// Every kernel that the CPU has gets a stand-in, by what its declaration says that it does.
#include "replay/taken_kernels.hpp"

#include <reel/autograd/detail/all_kernels.hpp>

#include "replay/index_calls.hpp"
#include "replay/nll_calls.hpp"
#include "replay/rnn_calls.hpp"

namespace reel::jit::replay {

namespace {

template <class Does> inline constexpr bool is_drawing = false;
template <int... argument> inline constexpr bool is_drawing<kernels::Draws<argument...>> = true;

/// Whoever calls the kernel calls it from now on.
template <auto& kernel, auto cpu> constexpr auto stand_for() {
    using Does = typename std::remove_reference_t<decltype(kernel)>::does;
    // by its type: for the undefined-behaviour sanitizer a function's address is no constant
    if constexpr (!std::is_null_pointer_v<std::remove_cv_t<decltype(own_stand<kernel>)>>) return own_stand<kernel>;
    else if constexpr (is_drawing<Does>) return &Stand<kernel, cpu>::draw;
    else if constexpr (std::is_same_v<Does, kernels::MayDecline>) return &Stand<kernel, cpu>::decline;
    else if constexpr (std::is_same_v<Does, kernels::Answers>) return &Stand<kernel, cpu>::refuse;
    else return &Stand<kernel, cpu>::keep;
}

/// As a device's library does: before any thread calls.
const int taken = [] {
    int count = 0;
    reel::detail::for_each_cpu_kernel([&]<auto & kernel, auto cpu>() {
        kernel.set(kCPU, stand_for<kernel, cpu>());
        ++count;
    });
    return count;
}();

} // namespace

int taken_kernels() { return taken; }

} // namespace reel::jit::replay
