// Running exported graphs (rules SC-106, SC-109, SC-114).
#include <algorithm>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops/factory/full.hpp>
#include <reel/autograd/tensor_impl.hpp>

#include "exported/autocast.hpp"
#include "exported/program.hpp"
#include "ops/numbers.hpp"

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
    const Tensor t = reel::scalar_tensor(v.toScalar(), TensorOptions(v.isDouble() ? kDouble
                                                                     : v.isBool() ? kBool
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

std::vector<IValue> ExportedGraph::run(std::vector<IValue> arguments) const {
    REEL_CHECK_VALUE(arguments.size() == inputs.size(), "a graph of ", inputs.size(), " inputs got ", arguments.size());
    std::vector<IValue> values(slots.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) values[inputs[i]] = std::move(arguments[i]);
    for (const ExportedNode& n : nodes) {
        try {
            std::vector<IValue> in;
            in.reserve(n.inputs.size());
            for (const ExportedArgument& a : n.inputs) in.push_back(read(a, values));
            const IValue result = call(n, std::move(in));
            if (n.outputs.size() == 1) write(n.outputs[0], result, values);
            else
                for (std::size_t i = 0; i < n.outputs.size(); ++i) write(n.outputs[i], result.elements().at(i), values);
        } catch (Error& e) {
            e.add_context("in node '" + n.name + "' (" + n.target + ") of the exported program");
            throw;
        }
    }
    std::vector<IValue> out;
    for (const ExportedArgument& a : outputs) out.push_back(read(a, values));
    return out;
}

bool is_higher_order(const std::string& target) {
    return target == "torch.ops.higher_order.cond" || target == "torch.ops.higher_order.wrap_with_set_grad_enabled" ||
           target == "torch.ops.higher_order.wrap_with_autocast";
}
namespace {
/// The values after number `first`; lists among them, which `cond` takes, are spread.
std::vector<IValue> operands(const std::vector<IValue>& inputs, std::size_t first) {
    std::vector<IValue> out;
    for (std::size_t i = first; i < inputs.size(); ++i) {
        if (inputs[i].isSequence()) out.insert(out.end(), inputs[i].elements().begin(), inputs[i].elements().end());
        else out.push_back(inputs[i]);
    }
    return out;
}
const ExportedGraph& graph_of(const ExportedNode& n, std::size_t i) {
    REEL_CHECK_VALUE(i < n.inputs.size() && n.inputs[i].graph, "argument ", i, " of '", n.target, "' is no graph");
    return *n.inputs[i].graph;
}
} // namespace

IValue run_higher_order(const ExportedNode& n, std::vector<IValue> inputs) {
    REEL_CHECK_VALUE(inputs.size() >= 2, "'", n.target, "' with ", inputs.size(), " arguments");
    std::vector<IValue> results;
    if (n.target == "torch.ops.higher_order.cond") {
        const IValue& condition = inputs[0];
        const bool taken = condition.isTensor() ? condition.toTensor().item<bool>() : condition.toBool();
        results = graph_of(n, taken ? 1 : 2).run(operands(inputs, 3));
    } else if (n.target == "torch.ops.higher_order.wrap_with_autocast") {
        // device, dtype, whether casting is on, whether casts of weights are kept (results are the same), graph
        REEL_CHECK_VALUE(inputs.size() >= 5, "'", n.target, "' with ", inputs.size(), " arguments");
        const bool enabled = inputs[2].toBool();
        const ScalarType dtype = optional_dtype(inputs[1]).value_or(kBFloat16); // the default for CPU
        const AutocastRegion region(inputs[0].toStringRef(), dtype, enabled);
        results = graph_of(n, 4).run(operands(inputs, 5));
    } else {
        const bool before = GradMode::is_enabled();
        struct Back {
            ~Back() { GradMode::set_enabled(mode); }
            bool mode;
        } back{before};
        GradMode::set_enabled(inputs[0].toBool());
        results = graph_of(n, 1).run(operands(inputs, 2));
    }
    if (n.outputs.size() == 1 && !n.outputs[0].is_list && results.size() == 1) return results[0];
    if (n.outputs.size() == 1) return IValue::list(std::move(results));
    return IValue::tuple(std::move(results));
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
