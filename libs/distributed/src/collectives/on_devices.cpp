#include "collectives/on_devices.hpp"

#include "group/issue.hpp"

namespace reel::distributed::detail {

namespace {
using Kind = DeviceCall::Kind;
using Tensors = std::vector<Tensor>;

/// The envelopes that go to, and are awaited from, each member: one shape for all, but where parts differ.
struct Envelopes {
    std::vector<Envelope> sent, expected;
};

bool is_reduction(Operation o) {
    return o == Operation::kAllReduce || o == Operation::kReduce || o == Operation::kReduceScatter ||
           o == Operation::kReduceScatterTensor;
}

DeviceCarrier* carrier_for(const Group& group, const Envelope& e, const Tensors& inputs, const Tensors& outputs) {
    if (!group.world().devices()) return nullptr;
    for (const Tensors* list : {&inputs, &outputs})
        for (const Tensor& t : *list)
            if (!t.is_cuda()) return nullptr;
    DeviceCarrier* carrier = nullptr;
    for (const Tensors* list : {&inputs, &outputs})
        for (const Tensor& t : *list) carrier = group.carrier(t.device());
    return carrier && is_reduction(e.operation) && !carrier->reduces(e.dtype, e.op) ? nullptr : carrier;
}

/// The tensor's elements in order, in its own memory where they lie so; `read`: with its values.
Tensor dense(const Tensor& tensor, bool read) {
    const Tensor values = tensor.data();
    if (values.is_contiguous()) return values;
    return read ? values.contiguous() : values.new_empty(values.sizes());
}
/// `in`, or a copy where it lies in memory that is written meanwhile.
Tensor apart(const Tensor& in, const Tensor& out) {
    const auto begin = [](const Tensor& t) { return static_cast<const std::byte*>(t.data_ptr()); };
    return begin(in) < begin(out) + out.nbytes() && begin(out) < begin(in) + in.nbytes() ? in.clone() : in;
}
Tensor empty_for_all(const Group& group, const Tensor& part) {
    std::vector<std::int64_t> sizes(part.sizes().begin(), part.sizes().end());
    sizes.insert(sizes.begin(), group.size());
    return part.new_empty(sizes);
}

/// What is written, and how it gets where it belongs.
class Results {
public:
    /// Memory for the elements of `to`, which will be written.
    Tensor dense_for(const Tensor& to, bool read) {
        Tensor from = dense(to, read);
        add(to, from);
        return from;
    }
    void add(const Tensor& to, const Tensor& from) { all_.push_back({to, from}); }
    /// On the device.
    void copy() const {
        for (const auto& [to, from] : all_)
            if (from.data_ptr() != to.data_ptr()) to.data().copy_(from);
    }
    /// When it is done: what the tape saved is no longer what it was.
    void bump() const {
        for (const auto& [to, from] : all_) to.impl()->bump_version();
    }

private:
    struct Result {
        Tensor to, from;
    };
    std::vector<Result> all_;
};

/// Sends and receives that make up a call with a root, or from each to each.
void add_parts(DeviceCall& call, Results& results, const Envelope& e, const Tensors& inputs, const Tensors& outputs) {
    const std::int64_t root = call.root;
    const bool to_all = e.operation != Operation::kGather, from_all = e.operation != Operation::kScatter;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        call.sends.push_back({to_all ? std::int64_t(i) : root, dense(inputs[i], true)});
    for (std::size_t i = 0; i < outputs.size(); ++i)
        call.receives.push_back({from_all ? std::int64_t(i) : root, results.dense_for(outputs[i], false)});
    for (DevicePart& s : call.sends)
        for (const DevicePart& r : call.receives) s.tensor = apart(s.tensor, r.tensor);
    const auto is_empty = [](const DevicePart& p) { return p.tensor.numel() == 0; };
    std::erase_if(call.sends, is_empty);
    std::erase_if(call.receives, is_empty);
}

DeviceCall device_call(const Group& group, const Envelope& e, const Tensors& inputs, const Tensors& outputs,
                       Results& results) {
    DeviceCall call{};
    call.op = e.op;
    if (e.root != Envelope::no_root) call.root = group.place_of(e.root, "root");
    const bool is_root = group.me() == call.root;
    const auto in_place = [&](Kind kind, bool written) {
        call.kind = kind;
        call.in = call.out = written ? results.dense_for(inputs[0], true) : dense(inputs[0], true);
    };
    switch (e.operation) {
    case Operation::kAllReduce:
        in_place(Kind::kAllReduce, true);
        break;
    case Operation::kReduce:
        in_place(Kind::kReduce, is_root);
        break;
    case Operation::kBroadcast:
        in_place(Kind::kBroadcast, !is_root);
        break;
    case Operation::kAllGather:
        call.kind = Kind::kAllGather;
        call.in = dense(inputs[0], true);
        call.out = empty_for_all(group, call.in);
        for (std::size_t i = 0; i < outputs.size(); ++i) results.add(outputs[i], call.out.select(0, std::int64_t(i)));
        break;
    case Operation::kAllGatherInto:
        call.kind = Kind::kAllGather;
        call.out = results.dense_for(outputs[0], false);
        call.in = apart(dense(inputs[0], true), call.out);
        break;
    case Operation::kReduceScatter:
        call.kind = Kind::kReduceScatter;
        call.in = empty_for_all(group, outputs[0].data());
        for (std::size_t i = 0; i < inputs.size(); ++i) call.in.select(0, std::int64_t(i)).copy_(inputs[i].data());
        call.out = results.dense_for(outputs[0], false);
        break;
    case Operation::kReduceScatterTensor:
        call.kind = Kind::kReduceScatter;
        call.out = results.dense_for(outputs[0], false);
        call.in = apart(dense(inputs[0], true), call.out);
        break;
    default:
        call.kind = Kind::kExchange;
        add_parts(call, results, e, inputs, outputs);
    }
    return call;
}

Envelopes envelopes_for(const Group& group, const Envelope& e, const Tensors& inputs, const Tensors& outputs) {
    const auto n = std::size_t(group.size());
    Envelopes all{std::vector<Envelope>(n, e), std::vector<Envelope>(n, e)};
    if (e.operation != Operation::kAllToAll) return all;
    const auto as = [](Envelope& envelope, const Tensor& t) {
        envelope.dtype = t.scalar_type();
        envelope.set_shape(t.sizes());
    };
    for (std::size_t m = 0; m < n; ++m) {
        as(all.sent[m], inputs[m]);
        as(all.expected[m], outputs[m]);
    }
    return all;
}

/// All members make the same call, or throw; and know how their devices find each other.
void agree(Exchange& x, DeviceCarrier& carrier, const Envelopes& envelopes) {
    const bool first = !carrier.connected();
    std::string introduction = first && x.me() == 0 ? carrier.introduction() : std::string();
    x.await_others();
    for (std::int64_t step = 1; step < x.size(); ++step) {
        const std::int64_t m = (x.me() + step) % x.size();
        x.send_as(m, envelopes.sent[std::size_t(m)], introduction.data(), introduction.size());
    }
    for (std::int64_t m = 0; m < x.size(); ++m) {
        if (m == x.me()) continue;
        const Message message = x.receive_as(m, envelopes.expected[std::size_t(m)]);
        if (m == 0) introduction = message.payload.text();
    }
    if (first) carrier.connect(introduction, [&x] { x.check(); });
}
} // namespace

std::optional<Call> on_devices(const Group& group, Envelope envelope, const Tensors& inputs, const Tensors& outputs) {
    DeviceCarrier* const carrier = carrier_for(group, envelope, inputs, outputs);
    if (!carrier) return std::nullopt;
    envelope.devices = 1;
    Results results;
    DeviceCall device = device_call(group, envelope, inputs, outputs, results);
    device.begun = carrier->mark();
    device.end = [results] { results.copy(); };
    return Call{envelope, outputs,
                [carrier, device = std::move(device), results,
                 envelopes = envelopes_for(group, envelope, inputs, outputs)](Exchange& x) {
                    agree(x, *carrier, envelopes);
                    carrier->run(device, [&x] { x.check(); });
                    results.bump();
                }};
}

} // namespace reel::distributed::detail
