#include "exported/graph_reader.hpp"

#include <algorithm>

#include <reel/autograd/error.hpp>

#include "exported/numbers.hpp"

namespace reel::jit {

namespace {
namespace json = boost::json;
constexpr int deepest = 50;

std::string text(const json::value& v) { return std::string(v.as_string()); }
/// The one entry of an object that is there for its key.
std::pair<std::string, const json::value*> only(const json::value& v) {
    const json::object& o = v.as_object();
    REEL_CHECK_VALUE(o.size() == 1, "expected one kind of argument, got ", json::serialize(v).substr(0, 100));
    return {std::string(o.begin()->key()), &o.begin()->value()};
}

class GraphReader {
public:
    GraphReader(const json::object& source, int depth) : source_(source), depth_(depth) {
        REEL_CHECK_VALUE(depth < deepest, "graphs in graphs are deeper than ", deepest);
    }
    ExportedGraph read() {
        for (const json::value& v : source_.at("inputs").as_array()) out_.inputs.push_back(input(v));
        for (const json::value& v : source_.at("nodes").as_array()) out_.nodes.push_back(node(v.as_object()));
        find_regions();
        relax_views();
        for (const json::value& v : source_.at("outputs").as_array()) out_.outputs.push_back(argument(v));
        if (const json::value* single = source_.if_contains("is_single_tensor_return"))
            out_.is_single_result = single->is_bool() && single->as_bool();
        return std::move(out_);
    }

private:
    /// In a graph that writes nothing a view may be a copy as well. So it is where elements lie in another order than
    /// they did when the program was made.
    void relax_views() {
        static const Operator *const view = find_operator("aten::view"), *const reshape =
                                                                             find_operator("aten::reshape");
        for (const ExportedNode& n : out_.nodes) {
            if (is_higher_order(n.target)) return;
            if (n.op && std::any_of(n.op->schema.arguments.begin(), n.op->schema.arguments.end(),
                                    [](const Argument& a) { return a.is_written; }))
                return;
        }
        for (ExportedNode& n : out_.nodes)
            if (n.op == view) n.op = reshape;
    }
    /// Regions of batches end where they should, and slices are taken and joined within.
    void find_regions() {
        std::vector<std::size_t> open;
        for (std::size_t i = 0; i < out_.nodes.size(); ++i) {
            const BatchStep step = out_.nodes[i].batch_step;
            if (step == BatchStep::Begin) open.push_back(i);
            REEL_CHECK_VALUE(open.size() < deepest, "batches in batches are deeper than ", deepest);
            if (step == BatchStep::None || step == BatchStep::Nothing || step == BatchStep::Begin) continue;
            REEL_CHECK_VALUE(!open.empty(), "'", out_.nodes[i].target, "' without a batch that begins before");
            if (step != BatchStep::End) continue;
            out_.nodes[open.back()].region_end = i;
            open.pop_back();
        }
        REEL_CHECK_VALUE(open.empty(), "a batch begins that does not end");
    }
    std::size_t define(const std::string& name) {
        const auto [it, fresh] = out_.slots.emplace(name, out_.slots.size());
        REEL_CHECK_VALUE(fresh, "the name '", name, "' is given twice");
        return it->second;
    }
    /// Inputs that are no tensors and have no name are values that a caller must repeat.
    std::size_t input(const json::value& v) {
        const auto [kind, value] = only(v);
        if (kind == "as_tensor") return define(text(value->as_object().at("name")));
        if (kind.rfind("as_sym_", 0) == 0)
            if (const json::value* name = value->as_object().if_contains("as_name")) return define(text(*name));
        return define("(input " + std::to_string(out_.inputs.size()) + ")");
    }
    ExportedArgument named(const json::value& name) {
        const auto it = out_.slots.find(text(name));
        REEL_CHECK_VALUE(it != out_.slots.end(), "'", text(name), "' is used before it is given");
        ExportedArgument a;
        a.kind = ExportedArgument::Kind::Slot;
        a.slot = it->second;
        return a;
    }
    static ExportedArgument plain(IValue v) {
        ExportedArgument a;
        a.value = std::move(v);
        return a;
    }
    template <class Read> ExportedArgument list(const json::value& v, Read read) {
        ExportedArgument a;
        a.kind = ExportedArgument::Kind::List;
        for (const json::value& e : v.as_array()) a.items.push_back(read(e));
        return a;
    }
    ExportedArgument symbolic(const json::value& v) {
        const auto [kind, value] = only(v);
        if (kind == "as_name") return named(*value);
        if (kind == "as_int") return plain(value->as_int64());
        if (kind == "as_bool") return plain(value->as_bool());
        if (kind == "as_float") return plain(value->to_number<double>());
        REEL_THROW(NotImplementedError, "arguments of the kind '", kind, "' are not supported");
    }
    ExportedArgument argument(const json::value& v) {
        const auto [kind, value] = only(v);
        const auto tensor = [&](const json::value& t) { return named(t.as_object().at("name")); };
        if (kind == "as_tensor") return tensor(*value);
        if (kind == "as_none") return plain({});
        if (kind == "as_int") return plain(value->as_int64());
        if (kind == "as_float") return plain(number(*value));
        if (kind == "as_bool") return plain(value->as_bool());
        if (kind == "as_complex") {
            const json::object& c = value->as_object();
            return plain(std::complex<double>(number(c.at("real")), number(c.at("imag"))));
        }
        if (kind == "as_string") return plain(text(*value));
        if (kind == "as_ints") return list(*value, [](const json::value& e) { return plain(e.as_int64()); });
        if (kind == "as_floats") return list(*value, [&](const json::value& e) { return plain(number(e)); });
        if (kind == "as_bools") return list(*value, [](const json::value& e) { return plain(e.as_bool()); });
        if (kind == "as_strings") return list(*value, [](const json::value& e) { return plain(text(e)); });
        if (kind == "as_tensors") return list(*value, tensor);
        if (kind == "as_optional_tensors") return list(*value, [&](const json::value& e) { return argument(e); });
        if (kind == "as_sym_int" || kind == "as_sym_bool" || kind == "as_sym_float") return symbolic(*value);
        if (kind == "as_sym_ints") return list(*value, [&](const json::value& e) { return symbolic(e); });
        if (kind == "as_scalar_type") return plain(script_dtype(value->as_int64()));
        if (kind == "as_memory_format") return plain(script_memory_format(value->as_int64()));
        if (kind == "as_layout") {
            REEL_CHECK_NOT_IMPLEMENTED(value->as_int64() == 7, "the layout number ", value->as_int64(),
                                       " is not supported; only 7, strided, is");
            return plain(0);
        }
        if (kind == "as_device") {
            const json::object& d = value->as_object();
            const json::value& index = d.at("index");
            return plain(
                reel::Device(text(d.at("type")) + (index.is_null() ? "" : ":" + std::to_string(index.as_int64()))));
        }
        if (kind == "as_graph") {
            ExportedArgument a;
            a.kind = ExportedArgument::Kind::Graph;
            a.graph = std::make_shared<ExportedGraph>(
                read_exported_graph(value->as_object().at("graph").as_object(), depth_ + 1));
            return a;
        }
        REEL_THROW(NotImplementedError, "arguments of the kind '", kind, "' are not supported");
    }
    static double number(const json::value& v) {
        if (v.is_string()) return std::stod(text(v));
        return v.to_number<double>();
    }
    ExportedOutput output(const json::value& v) {
        const auto [kind, value] = only(v);
        ExportedOutput out;
        if (kind == "as_tensor") out.slots.push_back(define(text(value->as_object().at("name"))));
        else if (kind == "as_tensors") {
            out.is_list = true;
            for (const json::value& t : value->as_array()) out.slots.push_back(define(text(t.as_object().at("name"))));
        } else if (kind == "as_sym_int" || kind == "as_sym_bool" || kind == "as_sym_float")
            out.slots.push_back(define(text(value->as_object().at("as_name"))));
        else if (kind == "as_none") out.slots.push_back(define("(none " + std::to_string(out_.slots.size()) + ")"));
        else REEL_THROW(NotImplementedError, "results of the kind '", kind, "' are not supported");
        return out;
    }
    ExportedNode node(const json::object& o) {
        ExportedNode n;
        n.target = text(o.at("target"));
        if (const json::value* name = o.if_contains("name"); name && name->is_string()) n.name = text(*name);
        try {
            fill(n, o);
        } catch (Error& e) {
            e.add_context("in node '" + n.name + "' (" + n.target + ")");
            throw;
        }
        return n;
    }
    static bool is_aten(const std::string& target) { return target.starts_with("torch.ops.aten."); }
    /// Of `torch.ops.aten.add.Tensor`.
    static const Operator* operator_of(const std::string& target) {
        std::string name = target.substr(std::string_view("torch.ops.aten.").size());
        if (name.ends_with(".default")) name.resize(name.size() - 8);
        const Operator* const op = find_operator("aten::" + name);
        REEL_CHECK_NOT_IMPLEMENTED(op, "there is no operator '", target, "'");
        REEL_CHECK_NOT_IMPLEMENTED(!op->refused, "the operator '", target,
                                   "' reaches outside of the program and is refused");
        return op;
    }
    void fill(ExportedNode& n, const json::object& o) {
        json::array inputs = o.at("inputs").as_array(), outputs = o.at("outputs").as_array();
        if (n.target == "torch.ops.higher_order.with_effects") {
            // A token, an operator and its arguments; a token and its results. Nodes run in their order without tokens.
            REEL_CHECK_VALUE(inputs.size() >= 2 && !outputs.empty(), "takes a token and an operator, got ",
                             inputs.size(), " arguments");
            n.target = text(inputs[1].as_object().at("arg").as_object().at("as_operator"));
            inputs.erase(inputs.begin(), inputs.begin() + 2);
            output(outputs[0]);
            outputs.erase(outputs.begin());
            REEL_CHECK_NOT_IMPLEMENTED(is_aten(n.target), "the operator '", n.target, "' is not supported");
        }
        n.batch_step = batch_step(n.target);
        if (n.batch_step != BatchStep::None) {
            for (const json::value& v : inputs) n.inputs.push_back(argument(v.as_object().at("arg")));
            REEL_CHECK_VALUE(n.batch_step != BatchStep::Begin || !n.inputs.empty(), "takes a number of slices");
            REEL_CHECK_VALUE(outputs.size() == 1, "has ", outputs.size(), " results; expected 1");
        } else if (is_aten(n.target)) {
            n.op = operator_of(n.target);
            bind(n, inputs);
        } else if (is_higher_order(n.target)) {
            for (const json::value& v : inputs) n.inputs.push_back(argument(v.as_object().at("arg")));
        } else {
            n.builtin = exported_builtin(n.target);
            REEL_CHECK_NOT_IMPLEMENTED(n.builtin, "the operator '", n.target, "' is not supported");
            for (const json::value& v : inputs) n.inputs.push_back(argument(v.as_object().at("arg")));
            REEL_CHECK_VALUE(n.inputs.size() == 1 || n.inputs.size() == 2, "takes one or two arguments, got ",
                             n.inputs.size());
        }
        for (const json::value& v : outputs) n.outputs.push_back(output(v));
    }
    /// Puts every argument in its place in the schema; those that are left out have their defaults.
    void bind(ExportedNode& n, const json::array& inputs) {
        const FunctionSchema& schema = n.op->schema;
        std::vector<bool> given(schema.arguments.size());
        n.inputs.resize(schema.arguments.size());
        std::size_t position = 0;
        for (const json::value& v : inputs) {
            const json::object& o = v.as_object();
            const std::int64_t kind = o.if_contains("kind") && o.at("kind").is_int64() ? o.at("kind").as_int64() : 1;
            const std::string name = text(o.at("name"));
            std::size_t i = schema.find_argument(name);
            if (i == schema.arguments.size() && kind == 1) i = position;
            REEL_CHECK_VALUE(i < schema.arguments.size(), "has no argument '", name, "': ", schema.str());
            REEL_CHECK_VALUE(!given[i], "the argument '", name, "' is given twice");
            given[i] = true;
            n.inputs[i] = argument(o.at("arg"));
            position = i + 1;
        }
        for (std::size_t i = 0; i < given.size(); ++i) {
            if (given[i]) continue;
            const Argument& a = schema.arguments[i];
            REEL_CHECK_VALUE(a.default_value, "the argument '", a.name, "' is missing: ", schema.str());
            n.inputs[i] = plain(*a.default_value);
        }
    }
    const json::object& source_;
    int depth_;
    ExportedGraph out_;
};
} // namespace

ExportedGraph read_exported_graph(const json::object& graph, int depth) { return GraphReader(graph, depth).read(); }

SizeExpression read_size(const json::object& size) {
    if (const json::value* n = size.if_contains("as_int")) return SizeExpression::parse(std::to_string(n->as_int64()));
    return SizeExpression::parse(text(size.at("as_expr").as_object().at("expr_str")));
}

} // namespace reel::jit
