// Which of a device's streams a pass works on: a node runs where its forward op ran, gradients are handed over in
// order.
#pragma once

#include <cstdint>
#include <vector>

#include <reel/autograd/node.hpp>

namespace reel::autograd {

/// A queue of one device: a number, 0 being the default one (reel/autograd/device_hooks.hpp).
struct StreamName {
    Device device = kCPU;
    std::uintptr_t stream = 0;
    friend bool operator==(const StreamName&, const StreamName&) = default;
};

/// Keeps with the node that it was recorded on another stream than the device's default one.
void note_stream(Node& n, Device device);
/// Does the node work on a device that has streams?
inline bool has_stream(const Node& n) { return n.num_inputs() > 0 && n.input_metadata(0).device.is_cuda(); }

/// While it lives, the calling thread works on the stream of `n`, if it has one.
class OnStreamOf {
public:
    explicit OnStreamOf(const Node& n) {
        if (has_stream(n)) [[unlikely]]
            enter(n);
    }
    ~OnStreamOf() {
        if (entered_) [[unlikely]]
            leave();
    }
    OnStreamOf(const OnStreamOf&) = delete;
    OnStreamOf& operator=(const OnStreamOf&) = delete;

private:
    void enter(const Node& n);
    void leave();
    bool entered_ = false;
    StreamName before_;
};

/// The streams that one pass works on. The stream of whoever started it comes before all of them and after.
class PassStreams {
public:
    /// `g`, made on the calling thread's stream, goes to `n`: what works there from now on finds it whole, and its
    /// memory stays until that is done.
    void hand_over(const Tensor& g, const Node& n) {
        if (g.device().is_cuda()) [[unlikely]]
            order(g, n);
    }
    bool any() const { return !used_.empty(); }
    /// What the caller does from now on comes after all that the pass has queued.
    void join();
    /// The caller will read `t`, whose memory may be another stream's: it stays until the caller's has done so.
    void give(const Tensor& t);

private:
    void order(const Tensor& g, const Node& n);
    std::vector<StreamName> used_; ///< besides the caller's
};

} // namespace reel::autograd
