#include "collectives/algorithms.hpp"

#include <cstring>

#include "collectives/reduction.hpp"

namespace reel::distributed::detail {

namespace {
/// Below this, everybody sends everything to everybody: one step where two would wait twice.
constexpr std::size_t whole_bytes = 32768;

/// Every member but this one, the next first, so that not all begin with the same.
template <class F> void for_others(const Exchange& x, F f) {
    for (std::int64_t step = 1; step < x.size(); ++step) f((x.me() + step) % x.size());
}

/// Elements of this call that `member` reduces.
struct Share {
    std::int64_t begin, count;
    Share(std::int64_t numel, std::int64_t member, std::int64_t size)
        : begin(numel / size * member + std::min(member, numel % size)), count(numel / size + (member < numel % size)) {
    }
};

/// Reduces `count` elements at `own` with what the others send of them, into `out`.
void reduce_received(Exchange& x, void* out, const void* own, std::int64_t count, ScalarType dtype, ReduceOp op) {
    std::vector<Message> messages(std::size_t(x.size()));
    std::vector<const void*> sources(std::size_t(x.size()));
    for (std::int64_t m = 0; m < x.size(); ++m) {
        if (m != x.me()) messages[std::size_t(m)] = x.receive(m);
        sources[std::size_t(m)] = m == x.me() ? own : messages[std::size_t(m)].payload.bytes.get();
    }
    reduce_elements(out, sources, count, dtype, op);
}
} // namespace

void all_reduce(Exchange& x, const Operand& data, ScalarType dtype, ReduceOp op) {
    x.await_others();
    if (data.size() <= whole_bytes || x.size() == 1) {
        for_others(x, [&](std::int64_t m) { x.send(m, data.bytes(), data.size()); });
        reduce_received(x, data.bytes(), data.bytes(), data.numel(), dtype, op);
        return data.write_back();
    }
    const std::size_t item = elementSize(dtype);
    const auto share = [&](std::int64_t m) { return Share(data.numel(), m, x.size()); };
    const auto at = [&](std::int64_t m) { return data.bytes() + std::size_t(share(m).begin) * item; };
    const auto bytes = [&](std::int64_t m) { return std::size_t(share(m).count) * item; };
    for_others(x, [&](std::int64_t m) { x.send(m, at(m), bytes(m)); });
    const std::int64_t me = x.me();
    reduce_received(x, at(me), at(me), share(me).count, dtype, op);
    x.next_phase();
    x.await_others();
    for_others(x, [&](std::int64_t m) { x.send(m, at(me), bytes(me)); });
    for_others(x, [&](std::int64_t m) { std::memcpy(at(m), x.receive(m).payload.bytes.get(), bytes(m)); });
    data.write_back();
}

void reduce(Exchange& x, const Operand& data, ScalarType dtype, ReduceOp op, std::int64_t root) {
    if (x.me() != root) {
        x.send(root, data.bytes(), data.size());
        x.receive(root);
        return;
    }
    x.await_others();
    for_others(x, [&](std::int64_t m) { x.send(m, nullptr, 0); });
    reduce_received(x, data.bytes(), data.bytes(), data.numel(), dtype, op);
    data.write_back();
}

void broadcast(Exchange& x, const Operand& data, std::int64_t root) {
    if (x.me() == root) {
        x.await_others();
        for_others(x, [&](std::int64_t m) { x.send(m, data.bytes(), data.size()); });
        for_others(x, [&](std::int64_t m) { x.receive(m); });
        return;
    }
    x.send(root, nullptr, 0);
    data.assign(x.receive(root).payload.bytes.get());
}

void all_gather(Exchange& x, const Operand& own, const Sink& sink) {
    x.await_others();
    for_others(x, [&](std::int64_t m) { x.send(m, own.bytes(), own.size()); });
    sink(x.me(), own.bytes());
    for_others(x, [&](std::int64_t m) { sink(m, x.receive(m).payload.bytes.get()); });
}

void gather(Exchange& x, const Operand& own, std::int64_t root, const Sink& sink) {
    if (x.me() != root) {
        x.send(root, own.bytes(), own.size());
        x.receive(root);
        return;
    }
    x.await_others();
    for_others(x, [&](std::int64_t m) { x.send(m, nullptr, 0); });
    sink(root, own.bytes());
    for_others(x, [&](std::int64_t m) { sink(m, x.receive(m).payload.bytes.get()); });
}

void scatter(Exchange& x, const Operand& out, const std::vector<const std::byte*>& parts, std::int64_t root) {
    if (x.me() != root) {
        x.send(root, nullptr, 0);
        return out.assign(x.receive(root).payload.bytes.get());
    }
    x.await_others();
    for_others(x, [&](std::int64_t m) { x.send(m, parts[std::size_t(m)], out.size()); });
    for_others(x, [&](std::int64_t m) { x.receive(m); });
    out.assign(parts[std::size_t(root)]);
}

void reduce_scatter(Exchange& x, const Operand& out, const std::vector<const std::byte*>& parts, ScalarType dtype,
                    ReduceOp op) {
    x.await_others();
    for_others(x, [&](std::int64_t m) { x.send(m, parts[std::size_t(m)], out.size()); });
    reduce_received(x, out.bytes(), parts[std::size_t(x.me())], out.numel(), dtype, op);
    out.write_back();
}

void all_to_all(Exchange& x, const std::vector<Operand>& outputs, const std::vector<Envelope>& expected,
                const std::vector<Operand>& inputs, const std::vector<Envelope>& sent) {
    x.await_others();
    const auto at = [](std::int64_t m) { return std::size_t(m); };
    for_others(x, [&](std::int64_t m) { x.send_as(m, sent[at(m)], inputs[at(m)].bytes(), inputs[at(m)].size()); });
    outputs[at(x.me())].assign(inputs[at(x.me())].bytes());
    for_others(x, [&](std::int64_t m) { outputs[at(m)].assign(x.receive_as(m, expected[at(m)]).payload.bytes.get()); });
}

void barrier(Exchange& x) {
    x.await_others();
    for_others(x, [&](std::int64_t m) { x.send(m, nullptr, 0); });
    for_others(x, [&](std::int64_t m) { x.receive(m); });
}

} // namespace reel::distributed::detail
