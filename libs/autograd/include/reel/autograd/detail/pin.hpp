// Pins: memory and modes that somebody keeps as they are. Nobody pinning costs one relaxed load per write.
#pragma once

#include <atomic>

#include <reel/autograd/tensor.hpp>

namespace reel::autograd {

/// Decides about attempts to change what it has pinned.
class PinKeeper {
public:
    virtual ~PinKeeper();
    /// `op` is about to write `t`, whose memory is pinned. Throws to refuse.
    virtual void on_write(const Tensor& t, const char* op) = 0;
    /// Something that sweeps over many tensors (an optimizer's step, running statistics, requires_grad_) has reached
    /// `t`. True: leave it alone.
    virtual bool on_sweep(const Tensor& t, const char* what) = 0;
    /// `train(on)` has reached `object`. True: leave its mode alone.
    virtual bool on_mode(const void* object, bool on) = 0;
};

namespace impl {
extern std::atomic<unsigned> pins; ///< how many there are
/// `object` is a Storage or a module. Several keepers may pin one object; all of them are asked.
void pin(const void* object, PinKeeper& keeper);
/// Removes all pins of `keeper`.
void unpin(PinKeeper& keeper);
inline bool any_pins() { return pins.load(std::memory_order_relaxed) != 0; }
void ask_before_write(const Tensor& t, const char* op);
bool ask_before_sweep(const Tensor& t, const char* what);
bool ask_before_mode(const void* object, bool on);
/// To be called before `t`'s memory is written.
inline void before_write(const Tensor& t, const char* op) {
    if (any_pins()) [[unlikely]]
        ask_before_write(t, op);
}
/// Must a sweeping change leave `t` alone?
inline bool passes_over(const Tensor& t, const char* what) { return any_pins() && ask_before_sweep(t, what); }
} // namespace impl

} // namespace reel::autograd
