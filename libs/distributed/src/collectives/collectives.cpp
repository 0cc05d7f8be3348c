#include <reel/distributed/collectives.hpp>

#include <reel/autograd/error.hpp>

#include "collectives/algorithms.hpp"
#include "collectives/mean.hpp"
#include "collectives/on_devices.hpp"
#include "collectives/reduction.hpp"
#include "group/issue.hpp"

namespace reel::distributed {

namespace {
using namespace detail;
using Tensors = std::vector<Tensor>;

/// A list with one tensor for each member, each as `like` unless that is undefined.
void check_list(const Group& group, const std::string& what, const char* argument, const Tensors& list,
                const Tensor& like, bool written) {
    REEL_CHECK_VALUE(std::int64_t(list.size()) == group.size(), what, ": ", argument, " has ", list.size(),
                     " tensors; expected one for each of the group's ", group.size(), " ranks");
    for (std::size_t i = 0; i < list.size(); ++i) {
        const std::string name = str(argument, "[", i, "]");
        (written ? check_written : check_operand)(what.c_str(), name.c_str(), list[i]);
        if (!like.defined()) continue;
        REEL_CHECK_VALUE(list[i].sizes().equals(like.sizes()), what, ": ", name, " has shape ", list[i].sizes(),
                         "; expected the tensor's ", like.sizes());
        REEL_CHECK_VALUE(list[i].scalar_type() == like.scalar_type(), what, ": ", name, " is ",
                         dtype_name(list[i].scalar_type()), "; expected the tensor's ", dtype_name(like.scalar_type()));
    }
}

/// `whole` is n times `part`, along dimension 0 or along a new one.
void check_whole(const Group& group, const std::string& what, const char* whole_name, const Tensor& whole,
                 const char* part_name, const Tensor& part) {
    REEL_CHECK_VALUE(whole.scalar_type() == part.scalar_type(), what, ": ", whole_name, " is ",
                     dtype_name(whole.scalar_type()), ", ", part_name, " ", dtype_name(part.scalar_type()),
                     "; expected the same");
    std::vector<std::int64_t> joined(part.sizes().begin(), part.sizes().end()), stacked = joined;
    stacked.insert(stacked.begin(), group.size());
    if (joined.empty()) joined = stacked;
    else joined[0] *= group.size();
    REEL_CHECK_VALUE(whole.sizes().equals(joined) || whole.sizes().equals(stacked), what, ": ", whole_name,
                     " has shape ", whole.sizes(), "; expected ", IntArrayRef(joined), " or ", IntArrayRef(stacked),
                     " for ", group.size(), " ranks with ", part_name, " of shape ", part.sizes());
}

/// Addresses of n equal parts.
std::vector<const std::byte*> parts_of(const Operand& whole, std::int64_t n) {
    std::vector<const std::byte*> parts;
    const std::size_t size = whole.size() / std::size_t(n);
    for (std::int64_t i = 0; i < n; ++i) parts.push_back(whole.bytes() + std::size_t(i) * size);
    return parts;
}
std::vector<const std::byte*> parts_of(const std::vector<Operand>& list) {
    std::vector<const std::byte*> parts;
    for (const Operand& o : list) parts.push_back(o.bytes());
    return parts;
}
std::vector<Operand> operands(const Tensors& list, bool read = true) {
    std::vector<Operand> result;
    for (const Tensor& t : list) result.emplace_back(t, read);
    return result;
}

Destination place_in(const std::vector<Operand>& list) {
    return [&list](std::int64_t m) { return list[std::size_t(m)].bytes(); };
}
void write_back(const std::vector<Operand>& list) {
    for (const Operand& o : list) o.write_back();
}

auto all_reduce_call(const Tensor& tensor, ReduceOp op) {
    return [&tensor, op](const Group& group) {
        check_written("all_reduce", "tensor", tensor);
        check_reduction("all_reduce", op, tensor.scalar_type());
        Envelope e = envelope_for(group, Operation::kAllReduce, tensor);
        e.op = op;
        if (auto call = on_devices(group, e, {tensor}, {tensor})) return *std::move(call);
        return Call{e, {tensor}, [data = Operand(tensor)](Exchange& x) {
                        detail::all_reduce(x, data, x.envelope().dtype, x.envelope().op);
                    }};
    };
}

auto divide_and_add_call(const Tensor& tensor, std::int64_t divisor) {
    return [&tensor, divisor](const Group& group) {
        check_written("all_reduce", "tensor", tensor);
        Envelope e = envelope_for(group, Operation::kAllReduce, tensor);
        e.divisor = std::uint32_t(divisor);
        return Call{e, {tensor}, [data = Operand(tensor)](Exchange& x) {
                        detail::all_reduce(x, data, x.envelope().dtype, x.envelope().op);
                    }};
    };
}

auto reduce_call(const Tensor& tensor, std::int64_t root, ReduceOp op) {
    return [&tensor, root, op](const Group& group) {
        check_written("reduce", "tensor", tensor);
        check_reduction("reduce", op, tensor.scalar_type());
        const std::int64_t place = group.place_of(root, "reduce: root");
        Envelope e = envelope_for(group, Operation::kReduce, tensor);
        e.op = op;
        e.root = root;
        if (auto call = on_devices(group, e, {tensor}, {tensor})) return *std::move(call);
        return Call{e, {tensor}, [data = Operand(tensor), place](Exchange& x) {
                        detail::reduce(x, data, x.envelope().dtype, x.envelope().op, place);
                    }};
    };
}

auto broadcast_call(const Tensor& tensor, std::int64_t root) {
    return [&tensor, root](const Group& group) {
        const std::int64_t place = group.place_of(root, "broadcast: root");
        (group.me() == place ? check_operand : check_written)("broadcast", "tensor", tensor);
        Envelope e = envelope_for(group, Operation::kBroadcast, tensor);
        e.root = root;
        if (auto call = on_devices(group, e, {tensor}, {tensor})) return *std::move(call);
        return Call{e, {tensor}, [data = Operand(tensor, group.me() == place), place](Exchange& x) {
                        detail::broadcast(x, data, place);
                    }};
    };
}

auto all_gather_call(const Tensors& outputs, const Tensor& tensor) {
    return [&](const Group& group) {
        check_operand("all_gather", "tensor", tensor);
        check_list(group, "all_gather", "outputs", outputs, tensor, true);
        const Envelope e = envelope_for(group, Operation::kAllGather, tensor);
        if (auto call = on_devices(group, e, {tensor}, outputs)) return *std::move(call);
        return Call{e, outputs, [own = Operand(tensor), out = operands(outputs, false)](Exchange& x) {
                        detail::all_gather(x, own, place_in(out));
                        write_back(out);
                    }};
    };
}

auto all_gather_into_call(const Tensor& output, const Tensor& tensor) {
    return [&](const Group& group) {
        check_operand("all_gather_into", "tensor", tensor);
        check_written("all_gather_into", "output", output);
        check_whole(group, "all_gather_into", "output", output, "tensor", tensor);
        const Envelope e = envelope_for(group, Operation::kAllGatherInto, tensor);
        if (auto call = on_devices(group, e, {tensor}, {output})) return *std::move(call);
        return Call{e, {output}, [own = Operand(tensor), out = Operand(output, false)](Exchange& x) {
                        detail::all_gather(x, own,
                                           [&](std::int64_t m) { return out.bytes() + std::size_t(m) * own.size(); });
                        out.write_back();
                    }};
    };
}

auto gather_call(const Tensor& tensor, const Tensors& outputs, std::int64_t root) {
    return [&, root](const Group& group) {
        check_operand("gather", "tensor", tensor);
        const std::int64_t place = group.place_of(root, "gather: root");
        if (group.me() == place) check_list(group, "gather", "outputs", outputs, tensor, true);
        else
            REEL_CHECK_VALUE(outputs.empty(), "gather: outputs has ", outputs.size(), " tensors on rank ",
                             group.world().rank(), "; expected none but on root ", root);
        Envelope e = envelope_for(group, Operation::kGather, tensor);
        e.root = root;
        if (auto call = on_devices(group, e, {tensor}, outputs)) return *std::move(call);
        return Call{e, outputs, [own = Operand(tensor), out = operands(outputs, false), place](Exchange& x) {
                        detail::gather(x, own, place, place_in(out));
                        write_back(out);
                    }};
    };
}

auto scatter_call(const Tensor& output, const Tensors& inputs, std::int64_t root) {
    return [&, root](const Group& group) {
        check_written("scatter", "output", output);
        const std::int64_t place = group.place_of(root, "scatter: root");
        if (group.me() == place) check_list(group, "scatter", "inputs", inputs, output, false);
        else
            REEL_CHECK_VALUE(inputs.empty(), "scatter: inputs has ", inputs.size(), " tensors on rank ",
                             group.world().rank(), "; expected none but on root ", root);
        Envelope e = envelope_for(group, Operation::kScatter, output);
        e.root = root;
        if (auto call = on_devices(group, e, inputs, {output})) return *std::move(call);
        return Call{e, {output}, [out = Operand(output, false), in = operands(inputs), place](Exchange& x) {
                        detail::scatter(x, out, parts_of(in), place);
                    }};
    };
}

auto reduce_scatter_call(const Tensor& output, const Tensors& inputs, ReduceOp op) {
    return [&, op](const Group& group) {
        check_written("reduce_scatter", "output", output);
        check_reduction("reduce_scatter", op, output.scalar_type());
        check_list(group, "reduce_scatter", "inputs", inputs, output, false);
        Envelope e = envelope_for(group, Operation::kReduceScatter, output);
        e.op = op;
        if (auto call = on_devices(group, e, inputs, {output})) return *std::move(call);
        return Call{e, {output}, [out = Operand(output, false), in = operands(inputs)](Exchange& x) {
                        detail::reduce_scatter(x, out, parts_of(in), x.envelope().dtype, x.envelope().op);
                    }};
    };
}

auto reduce_scatter_tensor_call(const Tensor& output, const Tensor& input, ReduceOp op) {
    return [&, op](const Group& group) {
        check_written("reduce_scatter_tensor", "output", output);
        check_operand("reduce_scatter_tensor", "input", input);
        check_reduction("reduce_scatter_tensor", op, output.scalar_type());
        check_whole(group, "reduce_scatter_tensor", "input", input, "output", output);
        Envelope e = envelope_for(group, Operation::kReduceScatterTensor, output);
        e.op = op;
        if (auto call = on_devices(group, e, {input}, {output})) return *std::move(call);
        return Call{e, {output}, [out = Operand(output, false), in = Operand(input)](Exchange& x) {
                        detail::reduce_scatter(x, out, parts_of(in, x.size()), x.envelope().dtype, x.envelope().op);
                    }};
    };
}

auto all_to_all_call(const Tensors& outputs, const Tensors& inputs) {
    return [&](const Group& group) {
        check_list(group, "all_to_all", "outputs", outputs, {}, true);
        check_list(group, "all_to_all", "inputs", inputs, {}, false);
        const auto place = std::size_t(group.me());
        REEL_CHECK_VALUE(outputs[place].sizes().equals(inputs[place].sizes()) &&
                             outputs[place].scalar_type() == inputs[place].scalar_type(),
                         "all_to_all: what this rank sends itself, inputs[", place, "], is ",
                         dtype_name(inputs[place].scalar_type()), " ", inputs[place].sizes(), ", outputs[", place,
                         "] is ", dtype_name(outputs[place].scalar_type()), " ", outputs[place].sizes(),
                         "; expected the same");
        if (auto call = on_devices(group, envelope_for(group, Operation::kAllToAll, inputs[place]), inputs, outputs))
            return *std::move(call);
        std::vector<Envelope> expected, sent;
        for (const Tensor& t : outputs) expected.push_back(envelope_for(group, Operation::kAllToAll, t));
        for (const Tensor& t : inputs) sent.push_back(envelope_for(group, Operation::kAllToAll, t));
        return Call{sent[place], outputs,
                    [out = operands(outputs, false), in = operands(inputs), expected, sent](Exchange& x) {
                        detail::all_to_all(x, out, expected, in, sent);
                    }};
    };
}

auto barrier_call(Operation operation) {
    return [operation](const Group& group) {
        return Call{group.envelope(operation), {}, [](Exchange& x) { detail::barrier(x); }};
    };
}
} // namespace

#define REEL_COLLECTIVE(name, Operation_, declared, ...)                                                               \
    void name(REEL_LIST declared, const ProcessGroup& group) {                                                         \
        detail::run(Operation::Operation_, group, name##_call(__VA_ARGS__));                                           \
    }                                                                                                                  \
    Work name##_async(REEL_LIST declared, const ProcessGroup& group) {                                                 \
        return detail::start(Operation::Operation_, group, name##_call(__VA_ARGS__));                                  \
    }
#define REEL_LIST(...) __VA_ARGS__
REEL_COLLECTIVE(all_reduce, kAllReduce, (const Tensor& tensor, ReduceOp op), tensor, op)
REEL_COLLECTIVE(reduce, kReduce, (const Tensor& tensor, std::int64_t root, ReduceOp op), tensor, root, op)
REEL_COLLECTIVE(broadcast, kBroadcast, (const Tensor& tensor, std::int64_t root), tensor, root)
REEL_COLLECTIVE(all_gather, kAllGather, (const Tensors& outputs, const Tensor& tensor), outputs, tensor)
REEL_COLLECTIVE(all_gather_into, kAllGatherInto, (const Tensor& output, const Tensor& tensor), output, tensor)
REEL_COLLECTIVE(gather, kGather, (const Tensor& tensor, const Tensors& outputs, std::int64_t root), tensor, outputs,
                root)
REEL_COLLECTIVE(scatter, kScatter, (const Tensor& output, const Tensors& inputs, std::int64_t root), output, inputs,
                root)
REEL_COLLECTIVE(reduce_scatter, kReduceScatter, (const Tensor& output, const Tensors& inputs, ReduceOp op), output,
                inputs, op)
REEL_COLLECTIVE(reduce_scatter_tensor, kReduceScatterTensor, (const Tensor& output, const Tensor& input, ReduceOp op),
                output, input, op)
REEL_COLLECTIVE(all_to_all, kAllToAll, (const Tensors& outputs, const Tensors& inputs), outputs, inputs)
#undef REEL_LIST
#undef REEL_COLLECTIVE

void barrier(const ProcessGroup& group) { detail::run(Operation::kBarrier, group, barrier_call(Operation::kBarrier)); }
Work barrier_async(const ProcessGroup& group) {
    return detail::start(Operation::kBarrier, group, barrier_call(Operation::kBarrier));
}
void monitored_barrier(const ProcessGroup& group) {
    detail::run(Operation::kMonitoredBarrier, group, barrier_call(Operation::kMonitoredBarrier));
}

namespace detail {
bool divides_on_the_way(const Tensor& tensor) { return tensor.is_cpu() && isFloatingType(tensor.scalar_type()); }
Work divide_and_add_async(const Tensor& tensor, std::int64_t divisor, const ProcessGroup& group) {
    return start(Operation::kAllReduce, group, divide_and_add_call(tensor, divisor));
}
} // namespace detail

} // namespace reel::distributed
