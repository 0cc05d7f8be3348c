#include <reel/distributed/collectives.hpp>

#include <reel/autograd/error.hpp>

#include "collectives/operand.hpp"
#include "group/issue.hpp"

namespace reel::distributed {

namespace {
using namespace detail;

void check_peer(const Group& group, const char* what, std::int64_t peer, std::int64_t tag) {
    group.place_of(peer, what);
    REEL_CHECK_VALUE(peer != group.world().rank(), what, " ", peer, " is this rank itself");
    REEL_CHECK_VALUE(tag >= 0, what, " ", peer, ": tag ", tag, " is negative");
}

Call send_call(const Group& group, const Tensor& tensor, std::int64_t peer, std::int64_t tag) {
    check_operand("send", "tensor", tensor);
    check_peer(group, "send: peer", peer, tag);
    Envelope e = envelope_for(group, Operation::kSend, tensor);
    e.tag = tag;
    return {e, {tensor}, [data = Operand(tensor), to = group.place_of(peer, "send: peer")](Exchange& x) {
                x.send(to, data.bytes(), data.size());
            }};
}
} // namespace

void send(const Tensor& tensor, std::int64_t peer, std::int64_t tag, const ProcessGroup& group) {
    if (const auto g = group_for(group, Operation::kSend)) g->run(send_call(*g, tensor, peer, tag));
}

Work send_async(const Tensor& tensor, std::int64_t peer, std::int64_t tag, const ProcessGroup& group) {
    const auto g = group_for(group, Operation::kSend);
    return g ? g->start(send_call(*g, tensor, peer, tag)) : Work();
}

void recv(const Tensor& tensor, std::int64_t peer, std::int64_t tag, const ProcessGroup& group) {
    recv_async(tensor, peer, tag, group).wait();
}

Work recv_async(const Tensor& tensor, std::int64_t peer, std::int64_t tag, const ProcessGroup& group) {
    const auto g = group_for(group, Operation::kRecv);
    if (!g) return {};
    check_written("recv", "tensor", tensor);
    check_peer(*g, "recv: peer", peer, tag);
    Call call;
    call.envelope = envelope_for(*g, Operation::kRecv, tensor);
    call.envelope.tag = tag;
    call.outputs = {tensor};
    call.arrived = [out = Operand(tensor, false)](const Message& m) { out.assign(m.payload.bytes.get()); };
    return g->receive(std::move(call), peer);
}

} // namespace reel::distributed
