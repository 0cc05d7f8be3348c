// Running a module's `forward` once and keeping the operators that ran.
#include <reel/script/export_program.hpp>

#include <array>
#include <deque>
#include <set>

#include <reel/autograd/detail/default_generators.hpp>
#include <reel/autograd/random.hpp>
#include <reel/autograd/tensor_impl.hpp>

#include "exported/example_inputs.hpp"
#include "exported/graph_writer.hpp"
#include "exported/model_reader.hpp"
#include "exported/python_json.hpp"
#include "run/program.hpp"
#include "run/unwinding.hpp"

namespace reel::jit {

namespace {
namespace json = boost::json;

/// Why a program cannot be exported; no Error, so that it passes through the interpreter as it is.
struct Refusal {
    std::string message;
};

/// Operators that read the values of a tensor: what depends on them is not known before a run.
bool reads_values(std::string_view name) {
    static const std::set<std::string_view> names = {
        "Bool",        "Complex",  "ComplexImplicit", "Float",      "FloatImplicit", "Int",
        "IntImplicit", "allclose", "equal",           "is_nonzero", "item",          "_local_scalar_dense",
        "tolist",      "str",      "ScalarImplicit"};
    return names.contains(name);
}
/// The tensors in a value.
template <class F> void each_tensor(const IValue& v, F f) {
    if (v.isTensor()) {
        if (v.toTensor().defined()) f(v.toTensor());
    } else if (v.isSequence()) {
        for (const IValue& e : v.elements()) each_tensor(e, f);
    }
}
bool has_tensors(const IValue& v) {
    bool any = false;
    each_tensor(v, [&](const Tensor&) { any = true; });
    return any;
}
/// Operators on lists and dicts, whatever is in them.
bool is_of_containers(const FunctionSchema& schema) {
    const auto has_variable = [](const auto& self, const Type& t) -> bool {
        if (t.kind() == TypeKind::Var) return true;
        for (const TypePtr& e : t.contained())
            if (self(self, *e)) return true;
        return false;
    };
    for (const Argument& a : schema.arguments)
        if (has_variable(has_variable, *a.type)) return true;
    return false;
}

/// Takes the place of the operators of a graph and writes down those that run.
class Recorder {
public:
    /// `lift` makes a constant of the program of a tensor and gives its name.
    Recorder(GraphWriter& graph, std::function<std::string(const Tensor&)> lift)
        : graph_(graph), lift_(std::move(lift)) {}
    void replace_operators(const Block& block) {
        for (Node* n = block.first(); n; n = n->next()) {
            const Symbol kind = n->kind();
            if (kind == prim::SetAttr) refuse(n, "changes the attribute '" + n->text() + "'");
            if (kind == prim::CallMethod || kind == prim::CallFunction || kind == prim::fork)
                refuse(n, "has a call that cannot be known before it runs (" + kind.str() + ")");
            for (const Block* inner : n->blocks()) replace_operators(*inner);
            if (!n->op()) continue;
            Operator& own = operators_.emplace_back(*n->op());
            own.run = [this, op = n->op(), n](std::span<IValue> arguments) { return call(*op, n, arguments); };
            n->set_op(&own);
        }
    }

private:
    [[noreturn]] static void refuse(const Node* n, const std::string& what) {
        throw Refusal{"export_program: the module " + what + ", which an exported program cannot hold" +
                      (n->range().source ? ":\n" + n->range().highlight() : std::string())};
    }
    bool is_static(const Tensor& t) const { return static_.contains(t.impl().get()); }

    IValue call(const Operator& op, const Node* n, std::span<IValue> arguments) {
        const Args given(arguments.begin(), arguments.end());
        if (!op.run) refuse(n, "calls an operator that is known and cannot be run: " + op.schema.str());
        const IValue result = op.run(arguments);
        bool any = false, dynamic = false, number = false;
        for (const IValue& v : given)
            each_tensor(v, [&](const Tensor& t) {
                any = true;
                dynamic |= graph_.name_of(t) != nullptr;
                number |= is_static(t);
            });
        if (!any && is_tensor_of_numbers(op)) {
            copy_of(result.toTensor());
            return result;
        }
        if (is_of_containers(op.schema)) return result;
        if (dynamic && !has_tensors(result) && reads_values(op.symbol.name()))
            refuse(n, "decides by the values of a tensor (" + op.symbol.str() + ")");
        // numbers that became tensors, and what is computed of them alone, are as known as numbers
        if (op.symbol == prim::NumToTensor || (any && number && !dynamic)) {
            each_tensor(result, [&](const Tensor& t) { keep_static(t); });
            return result;
        }
        if (has_tensors(result) || (any && writes(op))) record(op, n, given, result);
        return result;
    }
    static bool writes(const Operator& op) {
        return std::any_of(op.schema.arguments.begin(), op.schema.arguments.end(),
                           [](const Argument& a) { return a.is_written; });
    }
    void keep_static(const Tensor& t) {
        alive_.push_back(t);
        static_.insert(t.impl().get());
    }
    void record(const Operator& op, const Node* n, const Args& given, const IValue& result) {
        for (std::size_t i = 0; i < given.size(); ++i)
            each_tensor(given[i], [&](const Tensor& t) {
                if (is_static(t) && op.schema.arguments[i].is_written)
                    refuse(n, "writes into a number that became a tensor (" + op.symbol.str() + ")");
                const bool is_itself = !op.schema.arguments[i].is_written && GraphWriter::is_number(given[i]);
                if (!graph_.name_of(t) && !is_itself) graph_.name_tensor(t, lift_(t));
            });
        try {
            graph_.add_call(op, given, result);
        } catch (const NotImplementedError& e) {
            refuse(n, reel::str("calls ", op.schema.qualified(), ", which ", e.msg()));
        }
    }
    /// `torch.tensor(3)`.
    static bool is_tensor_of_numbers(const Operator& op) {
        return op.symbol.is("aten::tensor") || op.symbol.is("aten::as_tensor");
    }
    /// The value is a constant of the program, copied anew in each run.
    void copy_of(const Tensor& value) {
        static const Operator* const fresh = find_operator("aten::lift_fresh_copy");
        REEL_CHECK(fresh, "the operator aten::lift_fresh_copy is not there");
        const Tensor constant = value.detach().clone();
        graph_.name_tensor(constant, lift_(constant));
        graph_.add_call(*fresh, std::array<IValue, 1>{constant}, value);
    }

    GraphWriter& graph_;
    std::function<std::string(const Tensor&)> lift_;
    std::deque<Operator> operators_; ///< nodes point at them
    std::set<const TensorImpl*> static_;
    std::vector<Tensor> alive_;
};

/// The default generators as they were, whatever is drawn meanwhile.
class KeepsRandomState {
public:
    KeepsRandomState()
        : before_(reel::detail::getDefaultCPUGenerator().get_state()),
          devices_(reel::detail::device_generators().state()) {}
    ~KeepsRandomState() {
        Generator(reel::detail::getDefaultCPUGenerator()).set_state(before_);
        reel::detail::device_generators().set_state(devices_);
    }
    KeepsRandomState(const KeepsRandomState&) = delete;

private:
    Tensor before_;
    reel::detail::DeviceGenerators::State devices_;
};

class Exporter {
public:
    Exporter(const Module& module, const Args& args, const Kwargs& kwargs)
        : module_(module), run_(module.clone()), args_(args), kwargs_(kwargs) {}
    ExportedProgram program() {
        add_state();
        const IValue result = recorded_run();
        for (const IValue& leaf : leaves(result)) {
            const json::value out = output(leaf);
            writer_.outputs.push_back(out);
            output_specs_.push_back(json::object{{"user_output", json::object{{"arg", out}}}});
        }
        auto parts = read_exported_model(python_json(model(TreeSpec::of(result))), weights_, constants_);
        parts->sample_inputs = example_inputs(args_, kwargs_);
        return ExportedProgram(std::make_shared<ExportedProgramImpl>(std::move(parts)));
    }

private:
    static std::vector<IValue> leaves(const IValue& v) {
        std::vector<IValue> out;
        TreeSpec::of(v).flatten(v, "output", out);
        return out;
    }
    /// Parameters and buffers: the run has those of the copy, the program those of the module.
    void add_state() {
        const auto add = [&](const auto& ours, const auto& copies, const char* prefix, const char* kind,
                             const char* key) {
            for (std::size_t i = 0; i < ours.size(); ++i) {
                const std::string& path = ours[i].first;
                const std::string name = writer_.fresh_name(prefix + path);
                weights_.insert(path, ours[i].second);
                writer_.name_tensor(copies[i].second, name);
                add_input(json::object{{"as_tensor", json::object{{"name", name}}}});
                json::object spec{{"arg", json::object{{"name", name}}}, {key, path}};
                if (kind == std::string("buffer")) spec["persistent"] = true;
                input_specs_.push_back(json::object{{kind, std::move(spec)}});
            }
        };
        add(module_->parameter_items({}, true, false), run_->parameter_items({}, true, false), "p_", "parameter",
            "parameter_name");
        add(module_->buffer_items({}, true, false), run_->buffer_items({}, true, false), "b_", "buffer", "buffer_name");
    }
    void add_input(json::value v) { writer_.inputs.push_back(std::move(v)); }
    /// The constants that the run met come before the user's inputs, which are named before the run.
    std::string lift(const Tensor& t) {
        const std::string path = "lifted_tensor_" + std::to_string(constants_.size());
        const std::string name = writer_.fresh_name("c_" + path);
        constants_.insert(path, t.detach());
        add_input(json::object{{"as_tensor", json::object{{"name", name}}}});
        input_specs_.push_back(json::object{
            {"tensor_constant", json::object{{"arg", json::object{{"name", name}}}, {"tensor_constant_name", path}}}});
        return name;
    }
    /// An input as the run takes it: tensors are copies, so that nothing of the caller's is written.
    IValue user_input(const IValue& v, const std::string& name) {
        if (v.isTensor()) {
            const Tensor t = v.toTensor().detach().clone().requires_grad_(v.toTensor().requires_grad());
            const std::string own = writer_.fresh_name(name);
            writer_.name_tensor(t, own);
            const json::object arg{{"as_tensor", json::object{{"name", own}}}};
            user_inputs_.push_back(arg);
            user_specs_.push_back(json::object{{"user_input", json::object{{"arg", arg}}}});
            return t;
        }
        if (v.isGenericDict()) {
            ValueDict out;
            for (const auto& [key, item] : v.toGenericDict())
                out.set(key, user_input(item, name + "_" + (key.isString() ? key.toStringRef() : key.repr())));
            return out;
        }
        if (v.isSequence()) {
            Args out;
            for (const IValue& e : v.elements()) out.push_back(user_input(e, name + "_" + std::to_string(out.size())));
            return v.isTuple() ? IValue::tuple(std::move(out)) : IValue::list(std::move(out));
        }
        const json::value value = writer_.plain_argument(v);
        user_inputs_.push_back(value);
        user_specs_.push_back(
            json::object{{"constant_input", json::object{{"name", writer_.fresh_name(name)}, {"value", value}}}});
        return v;
    }
    IValue recorded_run() {
        const Method forward = run_.get_method("forward");
        const auto& wanted = forward.schema().arguments;
        Args args;
        for (const IValue& v : args_)
            args.push_back(user_input(v, args.size() + 1 < wanted.size() ? wanted[args.size() + 1].name : "input"));
        Kwargs kwargs;
        for (const auto& [key, v] : kwargs_) kwargs.set(key, user_input(v, key.toStringRef()));
        args.insert(args.begin(), run_._ivalue());
        std::vector<IValue> bound = bind_arguments(forward.schema(), std::move(args), kwargs);
        const std::shared_ptr<Graph> graph = forward.inlined_graph()->copy();
        Recorder recorder(writer_, [&](const Tensor& t) { return lift(t); });
        const KeepsRandomState same_stream;
        try {
            recorder.replace_operators(*graph->block());
            return Program(*graph, forward.function->qualified_name()).run(bound);
        } catch (const Refusal& r) {
            throw NotImplementedError(r.message);
        } catch (const Unwinding& e) {
            e.leave();
        }
    }
    json::value output(const IValue& leaf) {
        REEL_CHECK_NOT_IMPLEMENTED(!leaf.isString(), "export_program: forward returns the string ", leaf.repr(),
                                   ", and torch.export.load reads no program that does; return tensors and numbers");
        if (leaf.isTensor() && leaf.toTensor().defined() && !writer_.name_of(leaf.toTensor()))
            writer_.name_tensor(leaf.toTensor(), lift(leaf.toTensor()));
        return writer_.plain_argument(leaf);
    }
    json::object model(const TreeSpec& result) {
        for (json::value& v : user_inputs_) add_input(std::move(v));
        for (json::value& v : user_specs_) input_specs_.push_back(std::move(v));
        const TreeSpec in = TreeSpec::of(IValue::tuple({IValue::tuple(args_), IValue(kwargs_)}));
        json::array argument_names;
        const auto& wanted = module_.get_method("forward").schema().arguments;
        for (std::size_t i = 1; i <= args_.size(); ++i) argument_names.push_back(json::value(wanted.at(i).name));
        for (const auto& [key, value] : kwargs_) argument_names.push_back(json::value(key.toStringRef()));
        json::object signature{{"inputs", json::array()},
                               {"outputs", json::array()},
                               {"in_spec", in.text()},
                               {"out_spec", result.text()},
                               {"forward_arg_names", std::move(argument_names)}};
        json::object module{
            {"graph", std::move(writer_).graph()},
            {"signature",
             json::object{{"input_specs", std::move(input_specs_)}, {"output_specs", std::move(output_specs_)}}},
            {"module_call_graph", json::array{json::object{{"fqn", ""}, {"signature", std::move(signature)}}}},
            {"metadata", json::object()},
            {"treespec_namedtuple_fields", json::object()}};
        return {{"graph_module", std::move(module)},    {"opset_version", json::object{{"aten", 10}}},
                {"range_constraints", json::object()},  {"schema_version", json::object{{"major", 8}, {"minor", 20}}},
                {"verifiers", json::array{"TRAINING"}}, {"torch_version", "2.15.0"},
                {"guards_code", json::array()}};
    }

    const Module module_, run_;
    const Args& args_;
    const Kwargs& kwargs_;
    GraphWriter writer_;
    OrderedDict<std::string, Tensor> weights_{"Weight"}, constants_{"Constant"};
    json::array input_specs_, output_specs_, user_inputs_, user_specs_;
};
} // namespace

ExportedProgram export_program(const Module& module, const Args& inputs, const Kwargs& kwargs) {
    return Exporter(module, inputs, kwargs).program();
}

} // namespace reel::jit
