// Who wants to see what a thread's ops do to memory: for recording them once and replaying them without the ops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <reel/autograd/fwd.hpp>

namespace reel {
class Storage;
}

namespace reel::detail {

/// One pointwise loop over tensors of one shape, the result first.
struct LoopLaunch {
    const char* name; ///< of the op; null where the shortest way does not hand it on
    void (*loop)(char* const* data, const std::int64_t* strides, std::int64_t n, const void* rule);
    const void* rule;        ///< trivially copyable
    std::size_t rule_bytes;  ///< its size
    int count;               ///< how many operands there are, with the result
    const Tensor* const* at; ///< null for the plain number
    const void* number;      ///< the element in that place, of the dtype that is computed in
    std::size_t number_bytes;
};

/// Sees memory come, loops over it, and the host reading it. Kernels are seen by whoever stands in their place
/// (`Kernel::set`). While it is told of something, and while a kernel runs, nobody observes.
class LaunchObserver {
public:
    /// `fresh`: uninitialised memory of Reel's own; else foreign memory with whatever it holds.
    virtual void storage_made(const Storage& s, bool fresh) = 0;
    /// The host has filled a fresh tensor with numbers that depend on no tensor.
    virtual void generated(const Tensor& t) = 0;
    /// `what` read values, or worked on memory by itself: what follows may depend on them.
    virtual void host_works(const char* what) = 0;
    /// Before it runs.
    virtual void loop(const LoopLaunch& launch) = 0;

protected:
    ~LaunchObserver() = default;
};

inline constinit thread_local LaunchObserver* launch_observer = nullptr;

/// Nobody observes in this scope; `observer` is who did.
class UnobservedScope {
public:
    UnobservedScope() : observer(std::exchange(launch_observer, nullptr)) {}
    ~UnobservedScope() { launch_observer = observer; }
    UnobservedScope(const UnobservedScope&) = delete;

    LaunchObserver* const observer;
};

[[gnu::cold]] void note_storage(const Storage& s, bool fresh);
[[gnu::cold]] void note_generated(const Tensor& t);
[[gnu::cold]] void note_host_works(const char* what);
[[gnu::cold]] void note_loop(const LoopLaunch& launch);

/// Runs the loop of a launch again, over tensors of any layout, all of them defined.
void run_launch(const LoopLaunch& launch);
/// Does somebody take this thread's calls of ops (OpCallMode)? Launches alone would not show them.
bool op_calls_are_taken();
/// The leaf that `node` accumulates into; undefined when it is no accumulator.
Tensor leaf_of(const autograd::Node& node);

} // namespace reel::detail
