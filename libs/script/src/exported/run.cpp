// Running exported graphs (rules SC-106, SC-109).
#include <algorithm>
#include <cmath>

#include <reel/autograd/ops/factory/full.hpp>
#include <reel/autograd/tensor_impl.hpp>

#include "exported/autocast.hpp"
#include "exported/program.hpp"
#include "run/limits.hpp"

namespace reel::jit {

namespace {
IValue read(const ExportedArgument& a, std::vector<IValue>& slots) {
    switch (a.kind) {
    case ExportedArgument::Kind::Slot:
        return slots[a.slot];
    case ExportedArgument::Kind::List: {
        Args all;
        all.reserve(a.items.size());
        for (const ExportedArgument& e : a.items) all.push_back(read(e, slots));
        return IValue::list(std::move(all));
    }
    case ExportedArgument::Kind::Graph:
        return {};
    default:
        return a.value;
    }
}
void write(const ExportedOutput& out, const IValue& v, std::vector<IValue>& slots) {
    if (!out.is_list) {
        slots[out.slots.at(0)] = v;
        return;
    }
    REEL_CHECK_VALUE(v.isSequence() && v.elements().size() == out.slots.size(), "gives ", v.repr(), ", expected ",
                     out.slots.size(), " tensors");
    for (std::size_t i = 0; i < out.slots.size(); ++i) slots[out.slots[i]] = v.elements()[i];
}
/// A number where an operator takes a tensor: one of no dimensions that does not raise dtypes.
Tensor wrapped_number(const IValue& v) {
    const Tensor t = reel::scalar_tensor(v.toScalar(), TensorOptions(v.isDouble()          ? kDouble
                                                                     : v.isBool()          ? kBool
                                                                     : v.isComplexDouble() ? kComplexDouble
                                                                                           : kLong));
    t.impl()->is_wrapped_number = true;
    return t;
}
IValue call(const ExportedNode& n, std::vector<IValue> inputs) {
    if (n.builtin) return n.builtin(inputs);
    if (!n.op) return run_higher_order(n, std::move(inputs));
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (inputs[i].isScalar() && n.op->schema.arguments[i].type->kind() == TypeKind::Tensor)
            inputs[i] = wrapped_number(inputs[i]);
    autocast(n.op->schema.name, inputs);
    REEL_CHECK_NOT_IMPLEMENTED(n.op->run, "the operator is known, but cannot be run: ", n.op->schema.str());
    return n.op->run(inputs);
}
} // namespace

void ExportedGraph::run_node(const ExportedNode& n, std::vector<IValue>& values, Batch* batch) const {
    std::vector<IValue> in;
    in.reserve(n.inputs.size());
    for (const ExportedArgument& a : n.inputs) in.push_back(read(a, values));
    if (n.batch_step == BatchStep::Nothing) return;
    if (n.batch_step == BatchStep::Join) return batch->join(n.outputs.at(0).slots.at(0), in);
    const IValue result = n.batch_step == BatchStep::Take ? IValue(batch->take(in)) : call(n, std::move(in));
    if (RunState& state = run_state(); state.limits.live_bytes) state.watch(result);
    if (n.outputs.size() == 1) return write(n.outputs[0], result, values);
    for (std::size_t i = 0; i < n.outputs.size(); ++i) write(n.outputs[i], result.elements().at(i), values);
}

void ExportedGraph::run_region(std::size_t begin, std::vector<IValue>& values) const {
    Batch batch;
    batch.size = read(nodes[begin].inputs.at(0), values).toInt();
    REEL_CHECK_VALUE(batch.size >= 0, "a batch of ", batch.size, " slices");
    do run_nodes(begin + 1, nodes[begin].region_end, values, &batch); // once without slices, for the shapes
    while (++batch.slice < batch.size);
    for (const auto& [slot, result] : batch.results) values[slot] = batch.joined(result);
}

void ExportedGraph::run_nodes(std::size_t begin, std::size_t end, std::vector<IValue>& values, Batch* batch) const {
    RunState& state = run_state();
    for (std::size_t i = begin; i < end; ++i) {
        const ExportedNode& n = nodes[i];
        try {
            if (--state.until_check < 0) [[unlikely]]
                state.check();
            if (n.region_end) {
                run_region(i, values);
                i = n.region_end;
            } else {
                run_node(n, values, batch);
            }
        } catch (Error& e) {
            e.add_context("in node '" + n.name + "' (" + n.target + ") of the exported program");
            throw;
        }
    }
}

std::vector<IValue> ExportedGraph::run(std::vector<IValue> arguments) const {
    REEL_CHECK_VALUE(arguments.size() == inputs.size(), "a graph of ", inputs.size(), " inputs got ", arguments.size());
    const CallDepth depth(run_state());
    std::vector<IValue> values(slots.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) values[inputs[i]] = std::move(arguments[i]);
    run_nodes(0, nodes.size(), values, nullptr);
    std::vector<IValue> out;
    for (const ExportedArgument& a : outputs) out.push_back(read(a, values));
    return out;
}

// --- numbers
namespace {
std::int64_t floor_div(std::int64_t a, std::int64_t b) {
    REEL_CHECK(b != 0, "integer division by zero");
    if (b == -1) return std::int64_t(0 - std::uint64_t(a));
    return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}
bool ints(std::span<IValue> a) { return a[0].isInt() && a[1].isInt(); }
using Builtin = IValue (*)(std::span<IValue>);
IValue wrapped(std::uint64_t v) { return std::int64_t(v); }
/// Of ints, as in Python: an int where the exponent is not negative, which wraps as products do.
IValue power(std::span<IValue> a) {
    if (!ints(a) || a[1].toInt() < 0) return std::pow(a[0].toDouble(), a[1].toDouble());
    std::uint64_t result = 1, factor = std::uint64_t(a[0].toInt());
    for (std::uint64_t n = std::uint64_t(a[1].toInt()); n; n >>= 1, factor *= factor)
        if (n & 1) result *= factor;
    return wrapped(result);
}
struct Entry {
    const char* target;
    std::size_t operands;
    Builtin run;
};
constexpr Entry entries[] = {
    {"_operator.add", 2,
     [](std::span<IValue> a) {
         return ints(a) ? wrapped(std::uint64_t(a[0].toInt()) + std::uint64_t(a[1].toInt()))
                        : IValue(a[0].toDouble() + a[1].toDouble());
     }},
    {"_operator.sub", 2,
     [](std::span<IValue> a) {
         return ints(a) ? wrapped(std::uint64_t(a[0].toInt()) - std::uint64_t(a[1].toInt()))
                        : IValue(a[0].toDouble() - a[1].toDouble());
     }},
    {"_operator.mul", 2,
     [](std::span<IValue> a) {
         return ints(a) ? wrapped(std::uint64_t(a[0].toInt()) * std::uint64_t(a[1].toInt()))
                        : IValue(a[0].toDouble() * a[1].toDouble());
     }},
    {"_operator.truediv", 2, [](std::span<IValue> a) { return IValue(a[0].toDouble() / a[1].toDouble()); }},
    {"_operator.floordiv", 2, [](std::span<IValue> a) { return IValue(floor_div(a[0].toInt(), a[1].toInt())); }},
    {"_operator.mod", 2,
     [](std::span<IValue> a) {
         const std::int64_t x = a[0].toInt(), y = a[1].toInt();
         return wrapped(std::uint64_t(x) - std::uint64_t(floor_div(x, y)) * std::uint64_t(y));
     }},
    {"_operator.pow", 2, power},
    {"_operator.neg", 1, [](std::span<IValue> a) { return wrapped(0 - std::uint64_t(a[0].toInt())); }},
    {"_operator.eq", 2, [](std::span<IValue> a) { return IValue(a[0].toDouble() == a[1].toDouble()); }},
    {"_operator.ne", 2, [](std::span<IValue> a) { return IValue(a[0].toDouble() != a[1].toDouble()); }},
    {"_operator.lt", 2, [](std::span<IValue> a) { return IValue(a[0].toDouble() < a[1].toDouble()); }},
    {"_operator.le", 2, [](std::span<IValue> a) { return IValue(a[0].toDouble() <= a[1].toDouble()); }},
    {"_operator.gt", 2, [](std::span<IValue> a) { return IValue(a[0].toDouble() > a[1].toDouble()); }},
    {"_operator.ge", 2, [](std::span<IValue> a) { return IValue(a[0].toDouble() >= a[1].toDouble()); }},
    {"_operator.and_", 2, [](std::span<IValue> a) { return IValue(a[0].toBool() && a[1].toBool()); }},
    {"_operator.or_", 2, [](std::span<IValue> a) { return IValue(a[0].toBool() || a[1].toBool()); }},
    {"torch.sym_not", 1, [](std::span<IValue> a) { return IValue(!a[0].toBool()); }},
    {"torch.sym_max", 2, [](std::span<IValue> a) { return IValue(std::max(a[0].toInt(), a[1].toInt())); }},
    {"torch.sym_min", 2, [](std::span<IValue> a) { return IValue(std::min(a[0].toInt(), a[1].toInt())); }},
    {"torch.sym_float", 1, [](std::span<IValue> a) { return IValue(a[0].toDouble()); }},
};
} // namespace

IValue (*exported_builtin(const std::string& target))(std::span<IValue>) {
    for (const Entry& e : entries)
        if (target == e.target) return e.run;
    return nullptr;
}

// --- text
namespace {
std::string argument_text(const ExportedArgument& a, const std::vector<std::string>& names, const std::string& indent) {
    switch (a.kind) {
    case ExportedArgument::Kind::Slot:
        return "%" + names[a.slot];
    case ExportedArgument::Kind::List: {
        std::string out;
        for (const ExportedArgument& e : a.items) out += (out.empty() ? "" : ", ") + argument_text(e, names, indent);
        return "[" + out + "]";
    }
    case ExportedArgument::Kind::Graph:
        return "\n" + a.graph->str(indent + "    ") + indent + "  ";
    default:
        return a.value.repr();
    }
}
} // namespace

std::string ExportedGraph::str(const std::string& indent) const {
    std::vector<std::string> names(slots.size());
    for (const auto& [name, slot] : slots) names[slot] = name;
    const auto joined = [&](const std::vector<ExportedArgument>& all) {
        std::string out;
        for (const ExportedArgument& a : all) out += (out.empty() ? "" : ", ") + argument_text(a, names, indent);
        return out;
    };
    std::string out = indent + "graph(";
    for (std::size_t i = 0; i < inputs.size(); ++i) out += (i ? ", %" : "%") + names[inputs[i]];
    out += "):\n";
    for (const ExportedNode& n : nodes) {
        std::string results;
        for (const ExportedOutput& o : n.outputs)
            for (const std::size_t s : o.slots) results += (results.empty() ? "%" : ", %") + names[s];
        out += indent + "  " + results + (results.empty() ? "" : " = ") + n.target + "(" + joined(n.inputs) + ")\n";
    }
    return out + indent + "  return (" + joined(outputs) + ")\n";
}

} // namespace reel::jit
