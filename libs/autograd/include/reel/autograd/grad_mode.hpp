// Thread-local switches of recording: grad mode and inference mode (rules E-50, E-51).
#pragma once

namespace reel {

namespace detail {
/// Everything thread-local that the recording path looks at.
struct ThreadModes {
    bool grad = true;
    bool inference = false;
    /// Non-zero when anomaly mode, saved-tensor hooks or node-creation hooks want to see every new node.
    unsigned observers = 0;
};
inline constinit thread_local ThreadModes thread_modes{};
} // namespace detail

/// Is this thread recording? On by default, in new threads too.
struct GradMode {
    static bool is_enabled() { return detail::thread_modes.grad; }
    static void set_enabled(bool b) { detail::thread_modes.grad = b && !detail::thread_modes.inference; }
};

/// Sets grad mode for a scope and restores it on the way out, by exception too.
class AutoGradMode {
public:
    explicit AutoGradMode(bool enabled) : previous_(detail::thread_modes.grad) { GradMode::set_enabled(enabled); }
    ~AutoGradMode() { detail::thread_modes.grad = previous_; }
    AutoGradMode(const AutoGradMode&) = delete;
    AutoGradMode& operator=(const AutoGradMode&) = delete;

private:
    bool previous_;
};
/// Nothing is recorded in this scope.
struct NoGradGuard : AutoGradMode {
    NoGradGuard() : AutoGradMode(false) {}
};
/// Records again inside a no-grad scope; has no effect under inference mode.
struct EnableGradGuard : AutoGradMode {
    EnableGradGuard() : AutoGradMode(true) {}
};

/// Grad mode off, and tensors made inside can never enter a recorded graph (E-51). `InferenceMode(false)` nested
/// inside brings recording back.
class InferenceMode {
public:
    explicit InferenceMode(bool enabled = true) : previous_(detail::thread_modes) {
        detail::thread_modes.inference = enabled;
        detail::thread_modes.grad = enabled ? false : (previous_.inference ? true : previous_.grad);
    }
    ~InferenceMode() {
        detail::thread_modes.grad = previous_.grad;
        detail::thread_modes.inference = previous_.inference;
    }
    InferenceMode(const InferenceMode&) = delete;
    InferenceMode& operator=(const InferenceMode&) = delete;
    static bool is_enabled() { return detail::thread_modes.inference; }

private:
    detail::ThreadModes previous_;
};

namespace autograd {
using reel::AutoGradMode;
using reel::EnableGradGuard;
using reel::GradMode;
using reel::InferenceMode;
using reel::NoGradGuard;
} // namespace autograd

} // namespace reel
