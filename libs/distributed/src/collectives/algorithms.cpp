#include "collectives/algorithms.hpp"

#include <bit>
#include <chrono>
#include <cstring>
#include <vector>

#include <reel/autograd/error.hpp>

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

void copy(std::byte* to, const Operand& from) {
    if (from.size()) std::memmove(to, from.bytes(), from.size());
}

/// Reduces one piece at `own` with what the others send of it, into `out`.
void reduce_piece(Exchange& x, std::byte* out, const std::byte* own, std::int64_t count, ScalarType dtype,
                  ReduceOp op) {
    std::vector<Message> messages(std::size_t(x.size()));
    std::vector<const void*> sources(std::size_t(x.size()));
    for (std::int64_t m = 0; m < x.size(); ++m) {
        if (m != x.me()) {
            messages[std::size_t(m)] = x.receive(m);
            REEL_INTERNAL_ASSERT(messages[std::size_t(m)].payload.size == std::size_t(count) * elementSize(dtype),
                                 ": a piece of ", messages[std::size_t(m)].payload.size, " bytes");
        }
        sources[std::size_t(m)] = m == x.me() ? own : messages[std::size_t(m)].payload.bytes.get();
    }
    const std::uint32_t divisor = x.envelope().divisor;
    if (divisor != 1) add_divided_elements(out, sources, count, dtype, divisor);
    else reduce_elements(out, sources, count, dtype, op);
}

/// The same for all that the others send by one `send`.
void reduce_received(Exchange& x, std::byte* out, const std::byte* own, std::int64_t count, ScalarType dtype,
                     ReduceOp op) {
    const std::size_t item = elementSize(dtype);
    const auto piece = std::int64_t(Exchange::piece_bytes / item);
    std::int64_t done = 0;
    do {
        x.await_others();
        const std::int64_t n = std::min(piece, count - done);
        reduce_piece(x, out + std::size_t(done) * item, own + std::size_t(done) * item, n, dtype, op);
        done += n;
    } while (done < count);
}

/// An all_reduce in which each member reduces its share, piece by piece: one piece is on its way to who reduces it
/// while the one before is reduced and the one before that comes back.
class Pipeline {
public:
    Pipeline(Exchange& x, const Operand& data, ScalarType dtype, ReduceOp op)
        : x_(x), data_(data), dtype_(dtype), op_(op), item_(elementSize(dtype)),
          piece_(std::int64_t(Exchange::piece_bytes / item_)),
          pieces_((Share(data.numel(), 0, x.size()).count + piece_ - 1) / piece_) {}
    void run() {
        for (std::int64_t step = 0; step < pieces_ + 2; ++step) {
            x_.await_others();
            if (step < pieces_) for_others(x_, [&](std::int64_t m) { x_.send(m, at(m, step), bytes(m, step)); });
            if (step >= 1 && step <= pieces_) reduce_own(step - 1);
            if (step >= 2)
                for_others(x_, [&](std::int64_t m) { x_.receive_into(m, at(m, step - 2), bytes(m, step - 2)); });
        }
    }

private:
    void reduce_own(std::int64_t step) {
        const std::int64_t me = x_.me();
        reduce_piece(x_, at(me, step), at(me, step), std::int64_t(bytes(me, step) / item_), dtype_, op_);
        for_others(x_, [&](std::int64_t m) { x_.send(m, at(me, step), bytes(me, step)); });
        x_.await_others();
    }
    std::byte* at(std::int64_t member, std::int64_t step) const {
        return data_.bytes() + std::size_t(Share(data_.numel(), member, x_.size()).begin + step * piece_) * item_;
    }
    std::size_t bytes(std::int64_t member, std::int64_t step) const {
        const std::int64_t left = Share(data_.numel(), member, x_.size()).count - step * piece_;
        return std::size_t(std::clamp<std::int64_t>(left, 0, piece_)) * item_;
    }

    Exchange& x_;
    const Operand& data_;
    ScalarType dtype_;
    ReduceOp op_;
    std::size_t item_;
    std::int64_t piece_, pieces_;
};
} // namespace

void all_reduce(Exchange& x, const Operand& data, ScalarType dtype, ReduceOp op) {
    if (data.size() <= whole_bytes || x.size() == 1) {
        for_others(x, [&](std::int64_t m) { x.send(m, data.bytes(), data.size()); });
        reduce_received(x, data.bytes(), data.bytes(), data.numel(), dtype, op);
    } else Pipeline(x, data, dtype, op).run();
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

namespace {
/// Who hears from whom in a broadcast: the root sends to those whose number behind it is a power of two, each of them
/// to those that are smaller powers of two behind, and so on; as many steps as the number of ranks has digits.
struct Tree {
    std::int64_t parent;
    std::vector<std::int64_t> children; ///< those with most behind them first
    int depth, deepest;                 ///< steps from the root, and most of them
    Tree(std::int64_t me, std::int64_t root, std::int64_t size) {
        const auto number = std::uint64_t((me - root + size) % size), n = std::uint64_t(size);
        const auto member = [&](std::uint64_t k) { return std::int64_t((k + std::uint64_t(root)) % n); };
        parent = member(number & (number - 1));
        depth = std::popcount(number);
        deepest = std::bit_width(n) - 1;
        const std::uint64_t reach = number ? number & (~number + 1) : std::bit_ceil(n);
        for (std::uint64_t step = reach >> 1; step > 0; step >>= 1)
            if (number + step < n) children.push_back(member(number + step));
    }
};
/// Who waits for a rank itself says that it did not come; the word of it takes its time to the others.
constexpr std::chrono::milliseconds each_step{100};
} // namespace

/// Piece by piece down a tree. Up comes the word that all below have entered, so that the root hears from all.
void broadcast(Exchange& x, const Operand& data, std::int64_t root) {
    const Tree tree(x.me(), root, x.size());
    const bool others_wait = tree.deepest > 1;
    if (others_wait) x.wait_longer(tree.depth * each_step);
    std::size_t done = 0;
    do {
        const std::size_t n = std::min(Exchange::piece_bytes, data.size() - done);
        if (x.me() != root) {
            const Message piece = x.receive(tree.parent);
            REEL_INTERNAL_ASSERT(piece.payload.size == n, ": a piece of ", piece.payload.size, " bytes");
            if (n) std::memcpy(data.bytes() + done, piece.payload.bytes.get(), n);
        }
        for (const std::int64_t m : tree.children) x.send(m, data.bytes() + done, n);
        done += n;
    } while (done < data.size());
    if (others_wait) x.wait_longer(2 * (tree.deepest - tree.depth) * each_step);
    x.await(tree.children);
    for (const std::int64_t m : tree.children) x.receive(m);
    if (x.me() == root) return;
    x.send(tree.parent, nullptr, 0);
    data.write_back();
}

void all_gather(Exchange& x, const Operand& own, const Destination& place) {
    x.await_others();
    for_others(x, [&](std::int64_t m) { x.send(m, own.bytes(), own.size()); });
    copy(place(x.me()), own);
    for_others(x, [&](std::int64_t m) { x.receive_into(m, place(m), own.size()); });
}

void gather(Exchange& x, const Operand& own, std::int64_t root, const Destination& place) {
    if (x.me() != root) {
        x.send(root, own.bytes(), own.size());
        x.receive(root);
        return;
    }
    x.await_others();
    for_others(x, [&](std::int64_t m) { x.send(m, nullptr, 0); });
    copy(place(root), own);
    for_others(x, [&](std::int64_t m) { x.receive_into(m, place(m), own.size()); });
}

void scatter(Exchange& x, const Operand& out, const std::vector<const std::byte*>& parts, std::int64_t root) {
    if (x.me() != root) {
        x.send(root, nullptr, 0);
        x.receive_into(root, out.bytes(), out.size());
        return out.write_back();
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
    for_others(x, [&](std::int64_t m) {
        x.receive_into_as(m, expected[at(m)], outputs[at(m)].bytes(), outputs[at(m)].size());
        outputs[at(m)].write_back();
    });
}

void barrier(Exchange& x) {
    x.await_others();
    for_others(x, [&](std::int64_t m) { x.send(m, nullptr, 0); });
    for_others(x, [&](std::int64_t m) { x.receive(m); });
}

} // namespace reel::distributed::detail
