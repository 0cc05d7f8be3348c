// Operators that take graphs (rule SC-114).
#include <algorithm>
#include <functional>

#include <reel/autograd/function.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops/shape/stack.hpp>

#include "exported/autocast.hpp"
#include "exported/program.hpp"
#include "ops/numbers.hpp"

namespace reel::jit {

namespace {
using Values = std::vector<IValue>;

void spread(const IValue& v, Values& out) {
    if (v.isSequence()) out.insert(out.end(), v.elements().begin(), v.elements().end());
    else out.push_back(v);
}
/// The values after number `first`; lists among them, which hold operands, are spread.
Values operands(const Values& inputs, std::size_t first) {
    Values out;
    for (std::size_t i = first; i < inputs.size(); ++i) spread(inputs[i], out);
    return out;
}
const ExportedGraph& graph_of(const ExportedNode& n, std::size_t i) {
    REEL_CHECK_VALUE(i < n.inputs.size() && n.inputs[i].graph, "argument ", i, " of '", n.target, "' is no graph");
    return *n.inputs[i].graph;
}
bool truth(const IValue& v) { return v.isTensor() ? v.toTensor().item<bool>() : v.toBool(); }

/// What a branch that was not taken would have read gets a gradient of zeros: the whole operator is differentiated.
struct CondGradients : autograd::Function<CondGradients> {
    static autograd::variable_list forward(autograd::AutogradContext* ctx, const autograd::variable_list& results,
                                           const autograd::variable_list& read) {
        Args shapes;
        for (const Tensor& t : read) shapes.emplace_back(t.new_zeros({}).expand(t.sizes()));
        ctx->saved_data.set("operands", IValue::list(std::move(shapes)));
        return results;
    }
    static autograd::variable_list backward(autograd::AutogradContext* ctx, autograd::variable_list gradients) {
        for (const IValue& zeros : ctx->saved_data.at("operands").elements())
            gradients.push_back(zeros.toTensor().contiguous());
        return gradients;
    }
};
Values differentiated(Values results, const Values& read) {
    autograd::variable_list outputs, leaves;
    for (const IValue& v : read)
        if (v.isTensor() && v.toTensor().requires_grad()) leaves.push_back(v.toTensor());
    for (const IValue& v : results)
        if (v.isTensor() && isDifferentiableType(v.toTensor().scalar_type())) outputs.push_back(v.toTensor());
    if (!GradMode::is_enabled() || leaves.empty() || outputs.empty()) return results;
    outputs = CondGradients::apply(outputs, leaves);
    std::size_t next = 0;
    for (IValue& v : results)
        if (v.isTensor() && isDifferentiableType(v.toTensor().scalar_type())) v = outputs[next++];
    return results;
}

Values run_cond(const ExportedNode& n, const Values& inputs) {
    const Values read = operands(inputs, 3);
    return differentiated(graph_of(n, truth(inputs[0]) ? 1 : 2).run(read), read);
}
/// Graphs of the condition and of a step, the values that a step replaces, and those that it only reads.
Values run_while_loop(const ExportedNode& n, const Values& inputs) {
    const ExportedGraph &condition = graph_of(n, 0), &step = graph_of(n, 1);
    Values carried;
    spread(inputs[2], carried);
    const Values read = operands(inputs, 3);
    const auto all = [&] {
        Values both = carried;
        both.insert(both.end(), read.begin(), read.end());
        return both;
    };
    for (bool began = false;; began = true) {
        const Values go_on = condition.run(all());
        REEL_CHECK_VALUE(go_on.size() == 1, "the condition of '", n.target, "' gives ", go_on.size(), " values");
        if (!truth(go_on[0])) return began ? carried : differentiated(carried, all());
        Values next = step.run(all());
        REEL_CHECK_VALUE(next.size() == carried.size(), "a step of '", n.target, "' gives ", next.size(),
                         " values for ", carried.size());
        carried = std::move(next);
    }
}
/// Slice `i` of everything that is walked.
Values slices(const Values& walked, std::int64_t i) {
    Values out;
    for (const IValue& v : walked) out.push_back(v.toTensor().select(0, i));
    return out;
}
std::int64_t common_length(const ExportedNode& n, const Values& walked) {
    REEL_CHECK_VALUE(!walked.empty(), "'", n.target, "' walks over nothing");
    const std::int64_t length = walked[0].toTensor().size(0);
    for (const IValue& v : walked)
        REEL_CHECK_VALUE(v.toTensor().size(0) == length, "'", n.target, "' walks over tensors of ", length, " and of ",
                         v.toTensor().size(0), " rows");
    return length;
}
/// Results of all steps, of which each is stacked.
Values stacked(const std::vector<Values>& steps) {
    Values out;
    for (std::size_t k = 0; !steps.empty() && k < steps[0].size(); ++k) {
        autograd::variable_list rows;
        for (const Values& step : steps) rows.push_back(step.at(k).toTensor());
        out.emplace_back(reel::stack(rows));
    }
    return out;
}
/// A graph, what is walked along its first dimension, what each step reads.
Values run_map(const ExportedNode& n, const Values& inputs) {
    Values walked;
    spread(inputs[1], walked);
    const Values read = operands(inputs, 2);
    std::vector<Values> steps;
    for (std::int64_t i = 0, length = common_length(n, walked); i < length; ++i) {
        Values in = slices(walked, i);
        in.insert(in.end(), read.begin(), read.end());
        steps.push_back(graph_of(n, 0).run(std::move(in)));
    }
    return stacked(steps);
}
/// A graph, the values that each step replaces, what is walked, what each step reads. Results: those values in the
/// end, and the further ones of all steps.
Values run_scan(const ExportedNode& n, const Values& inputs) {
    Values carried, walked;
    spread(inputs[1], carried);
    spread(inputs[2], walked);
    const Values read = operands(inputs, 3);
    const auto count = std::ptrdiff_t(carried.size());
    std::vector<Values> steps;
    for (std::int64_t i = 0, length = common_length(n, walked); i < length; ++i) {
        Values in = std::move(carried);
        for (const Values& more : {slices(walked, i), read}) in.insert(in.end(), more.begin(), more.end());
        Values out = graph_of(n, 0).run(std::move(in));
        REEL_CHECK_VALUE(std::ptrdiff_t(out.size()) >= count, "a step of '", n.target, "' gives ", out.size(),
                         " values, at least ", count, " are carried");
        carried.assign(out.begin(), out.begin() + count);
        steps.emplace_back(out.begin() + count, out.end());
    }
    for (const IValue& v : stacked(steps)) carried.push_back(v);
    return carried;
}
using Rows = std::vector<Values>;
/// Rows `first`, `first + step`, ... below `end`.
Rows every(const Rows& rows, std::size_t first, std::size_t step, std::size_t end) {
    Rows out;
    for (std::size_t i = first; i < end; i += step) out.push_back(rows[i]);
    return out;
}
/// Each row with those before it: neighbours first, then their results, so that rows are combined in the reference's
/// order, which functions that are associative but for rounding show.
Rows scanned(const Rows& rows, const std::function<Values(const Values&, const Values&)>& combine) {
    if (rows.size() < 2) return rows;
    const auto combined = [&](const Rows& a, const Rows& b, std::size_t count) {
        Rows out;
        for (std::size_t i = 0; i < count; ++i) out.push_back(combine(a[i], b[i]));
        return out;
    };
    const std::size_t n = rows.size();
    const Rows second = scanned(combined(every(rows, 0, 2, n), every(rows, 1, 2, n), n / 2), combine);
    const Rows first = combined(second, every(rows, 2, 2, n), (n - 1) / 2);
    Rows out{rows[0]};
    for (std::size_t i = 0; i < second.size(); ++i) {
        out.push_back(second[i]);
        if (i < first.size()) out.push_back(first[i]);
    }
    return out;
}
/// A graph that combines two rows, what is walked, what each step reads.
Values run_associative_scan(const ExportedNode& n, const Values& inputs) {
    Values walked;
    spread(inputs[1], walked);
    const Values read = operands(inputs, 2);
    Rows rows;
    for (std::int64_t i = 0, length = common_length(n, walked); i < length; ++i) rows.push_back(slices(walked, i));
    if (rows.empty()) return walked;
    return stacked(scanned(rows, [&](const Values& a, const Values& b) {
        Values in = a;
        for (const Values* more : {&b, &read}) in.insert(in.end(), more->begin(), more->end());
        Values out = graph_of(n, 0).run(std::move(in));
        REEL_CHECK_VALUE(out.size() == a.size(), "a step of '", n.target, "' gives ", out.size(), " values for ",
                         a.size());
        return out;
    }));
}
/// A graph, a name that its copies share, its operands.
Values run_subgraph(const ExportedNode& n, const Values& inputs) { return graph_of(n, 0).run(operands(inputs, 2)); }
Values run_with_autocast(const ExportedNode& n, const Values& inputs) {
    // device, dtype, whether casting is on, whether casts of weights are kept (results are the same), graph
    const bool enabled = inputs[2].toBool();
    const ScalarType dtype = optional_dtype(inputs[1]).value_or(kBFloat16); // the default for CPU
    const AutocastRegion region(inputs[0].toStringRef(), dtype, enabled);
    return graph_of(n, 4).run(operands(inputs, 5));
}
Values run_with_grad_mode(const ExportedNode& n, const Values& inputs) {
    const AutoGradMode mode(inputs[0].toBool());
    return graph_of(n, 1).run(operands(inputs, 2));
}

struct Entry {
    const char* target;
    std::size_t at_least; ///< arguments
    Values (*run)(const ExportedNode&, const Values&);
};
constexpr Entry entries[] = {
    {"torch.ops.higher_order.associative_scan", 2, run_associative_scan},
    {"torch.ops.higher_order.cond", 3, run_cond},
    {"torch.ops.higher_order.invoke_subgraph", 2, run_subgraph},
    {"torch.ops.higher_order.map_impl", 2, run_map},
    {"torch.ops.higher_order.scan", 3, run_scan},
    {"torch.ops.higher_order.while_loop", 3, run_while_loop},
    {"torch.ops.higher_order.wrap_with_autocast", 5, run_with_autocast},
    {"torch.ops.higher_order.wrap_with_set_grad_enabled", 2, run_with_grad_mode},
};
const Entry* find(const std::string& target) {
    const auto* const it = std::ranges::find_if(entries, [&](const Entry& e) { return target == e.target; });
    return it == std::end(entries) ? nullptr : it;
}
} // namespace

bool is_higher_order(const std::string& target) { return find(target) != nullptr; }

IValue run_higher_order(const ExportedNode& n, std::vector<IValue> inputs) {
    const Entry& entry = *find(n.target);
    REEL_CHECK_VALUE(inputs.size() >= entry.at_least, "'", n.target, "' with ", inputs.size(), " arguments");
    Values results = entry.run(n, inputs);
    if (n.outputs.size() == 1 && !n.outputs[0].is_list && results.size() == 1) return results[0];
    if (n.outputs.size() == 1) return IValue::list(std::move(results));
    return IValue::tuple(std::move(results));
}

} // namespace reel::jit
