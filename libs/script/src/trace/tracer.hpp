// What one trace knows while it runs: the graph so far, and which value of it every tensor is.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <span>
#include <unordered_map>

#include <reel/autograd/op_calls.hpp>
#include <reel/nn/detail/module_calls.hpp>
#include <reel/script/operator.hpp>
#include <reel/script/trace.hpp>

namespace reel::jit::trace_impl {

/// The call of a module: its block holds what the module called. Such nodes stand in the recorded graph alone and
/// become methods (methods.hpp).
extern const Symbol module_call;
/// A parameter, a buffer or a module, by its dotted path below the root.
extern const Symbol member;
/// The reference looks at the sizes of its operands, which leaves nothing but their order among the arguments.
extern const Symbol looked_at;

class Tracer final : public ops::OpCallMode, public nn::detail::ModuleCallMode {
public:
    explicit Tracer(const nn::Module& root);
    ~Tracer() override;
    Tracer(const Tracer&) = delete;
    static Tracer* current(); ///< of this thread; null when nothing is traced, or the tracer itself computes

    IValue take(const ops::OpCall& call) override;
    IValue take(nn::Module& m, const Args& args, const Kwargs& kwargs, nn::detail::ForwardRef forward) override;
    void read(const Tensor& tensor) override;
    /// By the name in Python: an op of the registry, or an operator that scripts alone know.
    IValue call(const std::string& name, const Args& args, const Kwargs& kwargs = {});
    /// An operator as scripts name it, one value per argument, the last ones left out where they have defaults. `run`
    /// computes the result where the operator itself is not to.
    IValue aten(std::string_view qualified, Args args, const std::function<IValue()>& run = {});
    /// Calls the module, what it calls in a block of its own.
    IValue module(nn::Module& module, const Args& args);
    Tensor size(const Tensor& t, std::int64_t dim);
    Tensor numel(const Tensor& t);
    Tensor constant(const Tensor& t);
    void look_at(const IValue& tensor);
    /// A variable of the function that is running: a value without a name takes that of the first variable that holds
    /// it where the value is used first.
    void local(const std::string& name, const IValue& value);
    /// The value's name from here on, where it has none.
    void name(const IValue& value, const std::string& name);

    /// An argument of the whole.
    void add_input(const IValue& value, const std::string& name);
    /// The result of the whole. TypeError for what a script cannot return.
    void add_output(const IValue& value, bool strict);
    Graph& graph() { return *graph_; }

private:
    friend class FunctionScope;
    using Locals = std::vector<std::pair<std::string, Tensor>>;
    IValue record_call(const ops::OpCall& call, const std::string& name);
    IValue record(const Operator& op, const Args& args, const std::function<IValue()>& run);
    void bind_results(Node& node, const Operator& op, const IValue& result);
    void bind(Node& node, const Tensor& t);
    std::vector<Tensor> unpack_list(Value* list, const IValue& tensors);
    jit::Value* operand(const IValue& v, const Argument& argument);
    jit::Value* operand(const IValue& v, const Type& type);
    jit::Value* list_operand(const IValue& v, const Type& element, std::optional<std::int64_t> broadcast);
    jit::Value* value_of(const Tensor& t);
    jit::Value* number_of(const Tensor& t, TypeKind wanted);
    Tensor count(Node* number, std::int64_t value);
    jit::Value* output_of(const IValue& v, bool strict);
    jit::Value* constant_value(const IValue& v, TypePtr type = nullptr);
    Node* insert(Symbol kind, std::vector<jit::Value*> inputs, std::size_t outputs = 0);
    void keep(const Tensor& t, jit::Value* v);
    const std::string& name_of(const Tensor& t) const;
    std::string scope() const;

    std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
    std::unordered_map<const TensorImpl*, jit::Value*> values_;
    std::unordered_map<const TensorImpl*, std::string> members_; ///< parameters and buffers
    std::unordered_map<const nn::Module*, std::string> paths_;
    std::map<std::string, jit::Value*> member_values_;
    std::vector<Tensor> alive_; ///< every tensor whose address is known
    std::vector<std::string> running_;
    std::vector<Locals> functions_{1}; ///< that are running, the innermost last
};

/// A function of the reference's with its parameters, while it lives.
class FunctionScope {
public:
    explicit FunctionScope(Tracer& t) : tracer_(t) { t.functions_.emplace_back(); }
    ~FunctionScope() { tracer_.functions_.pop_back(); }
    FunctionScope(const FunctionScope&) = delete;

private:
    Tracer& tracer_;
};

/// While it lives, this thread computes without being traced.
class Untraced {
public:
    Untraced();
    ~Untraced();

private:
    Tracer* before_;
    ops::OpCallScope ops_;
    nn::detail::ModuleCallScope modules_;
};
/// While it lives, `tracer` traces this thread.
class Tracing {
public:
    explicit Tracing(Tracer& tracer);
    ~Tracing();

private:
    Tracer* before_;
    ops::OpCallScope ops_;
    nn::detail::ModuleCallScope modules_;
};

/// Numbers that are tensors of the trace, as what an argument of the type takes when the call itself runs.
IValue plain_number(const IValue& v, const Type& type);
/// The overload that fits, with its arguments in order; null when none does (overloads.cpp).
const Operator* find_overload(const std::string& name, const Args& args, const Kwargs& kwargs, Args& bound);

/// What a function of several operators calls, by the arguments of Reel's schema (functions.cpp).
using FunctionRecipe = IValue (*)(Tracer& t, const Args& bound);
FunctionRecipe function_recipe(const std::string& name);
/// Is the function written in Python, so that its parameters are variables of the calls in it?
bool is_written_in_python(const std::string& name);
/// What a layer calls (layers.cpp), and the file that the reference keeps its class in.
/// Null: its own calls.
using LayerRecipe = IValue (*)(Tracer& t, nn::Module& layer, const Args& args);
struct Layer {
    std::string_view name, file;
    LayerRecipe call;
    std::string_view parameters = "input"; ///< of its forward
};
const Layer* find_layer(const nn::Module& module);

/// Script modules of the classes that the tree's modules have, sharing its tensors; then the recorded calls become
/// their methods (methods.cpp).
Module make_modules(const nn::Module& root, const std::string& class_name);
void make_methods(Graph& recorded, const Module& root);

} // namespace reel::jit::trace_impl
