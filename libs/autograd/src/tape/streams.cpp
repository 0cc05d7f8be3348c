#include "tape/streams.hpp"

#include <algorithm>

#include <reel/autograd/device_hooks.hpp>
#include <reel/autograd/storage.hpp>

#include "tape/node_extras.hpp"

namespace reel::autograd {

namespace {

/// The calling thread's stream.
StreamName current(Device device) {
    const DeviceHooks& hooks = device_hooks(device.type());
    return {device, hooks.stream ? hooks.stream(device.index()) : 0};
}
StreamName stream_of(const Node& n) {
    const NodeExtras* const extras = n.extras();
    return {n.input_metadata(0).device, extras ? extras->stream : 0};
}
void order_streams(const StreamName& before, const StreamName& after) {
    const DeviceHooks& hooks = device_hooks(before.device.type());
    if (hooks.order) hooks.order(before.device.index(), before.stream, after.device.index(), after.stream);
}

} // namespace

void note_stream(Node& n, Device device) {
    if (n.num_inputs() > 1) return; // the first output's is the node's
    const std::uintptr_t stream = current(device).stream;
    if (stream) n.ensure_extras().stream = stream;
}

void OnStreamOf::enter(const Node& n) {
    const StreamName wanted = stream_of(n);
    before_ = current(wanted.device);
    if (before_ == wanted) return;
    device_hooks(wanted.device.type()).set_stream(wanted.device.index(), wanted.stream);
    entered_ = true;
}
void OnStreamOf::leave() { device_hooks(before_.device.type()).set_stream(before_.device.index(), before_.stream); }

void PassStreams::order(const Tensor& g, const Node& n) {
    if (!has_stream(n)) return;
    const StreamName from = current(g.device()), to = stream_of(n);
    if (from == to) return;
    order_streams(from, to);
    if (const auto used_on = device_hooks(g.device().type()).used_on)
        used_on(g.storage()->data(), g.device().index(), to.device.index(), to.stream);
    for (const StreamName& s : {from, to})
        if (std::ranges::find(used_, s) == used_.end()) used_.push_back(s);
}

void PassStreams::give(const Tensor& t) {
    if (!t.defined() || !t.is_cuda()) return;
    const StreamName callers = current(t.device());
    if (const auto used_on = device_hooks(t.device().type()).used_on)
        used_on(t.storage()->data(), t.device().index(), callers.device.index(), callers.stream);
}

void PassStreams::join() {
    for (const StreamName& s : used_)
        if (const StreamName callers = current(s.device); !(callers == s)) order_streams(s, callers);
}

} // namespace reel::autograd
