// What a trace makes of calls: of ops the overloads that scripts have, of modules blocks of their own.
#include <optional>

#include <reel/autograd/error.hpp>

#include "ops/numbers.hpp"
#include "trace/tracer.hpp"

namespace reel::jit::trace_impl {

namespace {
/// A bound call as one by position and name: what stands at its default is left out. With `in_order` all that stands
/// before the last one given is by position.
void unbind(const ops::OpCall& call, bool in_order, Args& args, Kwargs& kwargs) {
    const auto& arguments = call.schema.arguments;
    const auto is_default = [&](std::size_t i) {
        return arguments[i].has_default && call.arguments[i].is(arguments[i].default_value);
    };
    // scripts have `alpha` by name alone, whatever the op's own schema says
    const auto has_place = [&](std::size_t i) {
        return !arguments[i].kwarg_only && arguments[i].type != "TensorOptions" && arguments[i].name != "alpha";
    };
    std::size_t positional = 0;
    for (std::size_t i = 0; i < arguments.size() && has_place(i) && (in_order || !is_default(i)); ++i)
        if (!is_default(i)) positional = i + 1;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (i < positional && arguments[i].name != "inplace") args.push_back(call.arguments[i]);
        else if (arguments[i].type == "TensorOptions") {
            if (call.arguments[i].isGenericDict())
                for (const auto& [key, value] : call.arguments[i].toGenericDict()) kwargs.set(key, value);
            kwargs.erase("requires_grad"); // is set afterwards there
            kwargs.erase("layout");
        } else if (!is_default(i) && arguments[i].name != "inplace")
            kwargs.set(IValue(arguments[i].name), call.arguments[i]);
    }
}
bool works_in_place(const ops::OpCall& call) {
    const auto& arguments = call.schema.arguments;
    for (std::size_t i = 0; i < arguments.size(); ++i)
        if (arguments[i].name == "inplace" && call.arguments[i].toBool()) return true;
    return false;
}
/// What the reference's bindings say for factories without being asked: where, and of what dtype where that is not the
/// default one.
void complete_options(const Operator& op, Args& bound) {
    const auto& arguments = op.schema.arguments;
    const std::size_t pinned = op.schema.find_argument("pin_memory"), device = op.schema.find_argument("device"),
                      dtype = op.schema.find_argument("dtype");
    const std::string& name = op.schema.name;
    if (pinned == arguments.size() || dtype == arguments.size() || name == "aten::to") return;
    if (bound[pinned].isNone()) bound[pinned] = false;
    const bool like = name.ends_with("_like") || name.find("::new_") != name.npos;
    if (bound[device].isNone() && !like) bound[device] = Device(kCPU);
    for (const char* integers : {"::randint", "::randperm", "::tril_indices", "::triu_indices"})
        if (bound[dtype].isNone() && name.ends_with(integers)) bound[dtype] = number_of_dtype(kLong);
}
} // namespace

/// With one of script's operators in the place of the op, or the several that the reference's function calls.
IValue Tracer::record_call(const ops::OpCall& call, const std::string& name) {
    std::optional<FunctionScope> function;
    if (is_written_in_python(name)) {
        function.emplace(*this);
        for (std::size_t i = 0; i < call.arguments.size(); ++i) local(call.schema.arguments[i].name, call.arguments[i]);
    }
    if (const FunctionRecipe recipe = function_recipe(name))
        return recipe(*this, Args(call.arguments.begin(), call.arguments.end()));
    Args bound;
    const Operator* found = nullptr;
    for (const bool in_order : {false, true}) {
        Args args;
        Kwargs kwargs;
        unbind(call, in_order, args, kwargs);
        if (!found) found = find_overload(works_in_place(call) ? name + "_" : name, args, kwargs, bound);
    }
    if (!found)
        REEL_THROW(NotImplementedError, "jit::trace: no operator of scripts is '", name,
                   "' with these arguments; call operators that TorchScript has");
    complete_options(*found, bound);
    return record(*found, bound, [&] {
        Args plain;
        for (const IValue& a : call.arguments) {
            const bool list = a.isSequence() && !a.isTensorList();
            plain.push_back(list ? plain_number(a, *Type::List(Type::Int())) : a);
        }
        return call.run_with(plain);
    });
}
IValue Tracer::take(const ops::OpCall& call) {
    const Untraced outside;
    const IValue result = record_call(call, call.op.name + (call.form == ops::OpForm::InPlace ? "_" : ""));
    if (call.form != ops::OpForm::Out) return result;
    // the caller's tensors are what comes out, from here on
    Args written = call.out->isTensor() ? Args{*call.out} : call.out->elements();
    const Args computed = result.isTensor() ? Args{result} : result.elements();
    for (std::size_t i = 0; i < written.size(); ++i)
        if (!written[i].toTensor().is_same(computed.at(i).toTensor()))
            keep(written[i].toTensor(), value_of(computed[i].toTensor()));
    return *call.out;
}
void Tracer::read(const Tensor& tensor) {
    if (values_.count(tensor.unsafeGetTensorImpl()))
        REEL_WARN(
            "jit::trace: a tensor is converted to a number, which the trace holds fixed: for other inputs it may be "
            "wrong");
}
IValue Tracer::call(const std::string& name, const Args& args, const Kwargs& kwargs) {
    const ops::Op* op = ops::registry().find(name);
    const bool inplace = !op && name.ends_with('_') && !name.ends_with("__");
    if (inplace) op = ops::registry().find(name.substr(0, name.size() - 1));
    Args bound;
    if (op)
        for (const ops::Schema& s : op->schemas)
            if ((!inplace || s.call_inplace) && s.bind(args, kwargs, bound, nullptr))
                return record_call({*op, s, inplace ? ops::OpForm::InPlace : ops::OpForm::Functional, bound}, name);
    const Operator* const found = find_overload(name, args, kwargs, bound);
    if (!found)
        REEL_THROW(NotImplementedError, "jit::trace: no operator of scripts is '", name,
                   "' with these arguments; call operators that TorchScript has");
    return record(*found, bound, {});
}

namespace {
/// The i-th word; empty behind the last.
std::string word(std::string_view words, std::size_t i) {
    for (; i > 0 && !words.empty(); --i) {
        const std::size_t end = words.find(' ');
        words.remove_prefix(end == words.npos ? words.size() : end + 1);
    }
    return std::string(words.substr(0, words.find(' ')));
}
/// Arguments by position alone, None for those left out between; false where a name is not among the parameters.
bool bind_layer(std::string_view parameters, const Args& args, const Kwargs& kwargs, Args& bound) {
    bound = args;
    std::size_t found = 0;
    for (std::size_t i = args.size(); found < kwargs.size(); ++i) {
        const std::string name = word(parameters, i);
        if (name.empty()) return false;
        const IValue* const v = kwargs.find(std::string_view(name));
        bound.push_back(v ? *v : IValue());
        found += v != nullptr;
    }
    return true;
}
} // namespace

IValue Tracer::module(nn::Module& m, const Args& args) {
    auto forward = [&m](const Args& a, const Kwargs& k) { return m.forward_values(a, k); };
    return take(m, args, {}, nn::detail::ForwardRef(forward));
}
IValue Tracer::take(nn::Module& m, const Args& args, const Kwargs& kwargs, nn::detail::ForwardRef forward) {
    const auto path = paths_.find(&m);
    if (path == paths_.end()) return forward(args, kwargs); // what it calls belongs to who calls it
    const Layer* const layer = find_layer(m);
    const FunctionScope function(*this);
    const auto run = [&] {
        Args bound;
        const bool fits = layer && bind_layer(layer->parameters, args, kwargs, bound);
        for (std::size_t i = 0; i < bound.size(); ++i) local(word(layer->parameters, i), bound[i]);
        if (!fits || !layer->call) {
            const Tracing inside(*this);
            return forward(args, kwargs);
        }
        const Untraced recipe;
        return layer->call(*this, m, bound);
    };
    if (path->second.empty()) return run();
    Node* const n = insert(module_call, {});
    n->set("name", IValue(path->second));
    Block* const outside = graph_->insert_block();
    graph_->set_insert_point(n->add_block());
    running_.push_back(path->second);
    const struct Back {
        Tracer& t;
        Block* outside;
        ~Back() {
            t.running_.pop_back();
            t.graph_->set_insert_point(outside);
        }
    } back{*this, outside};
    return run();
}

} // namespace reel::jit::trace_impl
