// Modules whose methods are scripts: what archives hold, and what `define` compiles into.
#pragma once

#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <reel/nn/module_holder.hpp>
#include <reel/script/function.hpp>
#include <reel/script/named.hpp>
#include <reel/script/object.hpp>

namespace reel::jit {

/// File contents by name, stored under `extra/NAME` of an archive.
using ExtraFilesMap = std::vector<std::pair<std::string, std::string>>;

/// The object of a script module. It is a Reel module like any other: its parameters, buffers and submodules stand in
/// the module's own tables, and are what the script's slots read and write; all other attributes are slots alone.
/// Hooks, `to`, `requires_grad_`, optimizers and state dicts see it as they see modules written in C++.
class ModuleImpl : public nn::Module, public Object {
public:
    /// An empty module of the class. `unit` owns the class and is kept.
    ModuleImpl(ClassTypePtr type, std::shared_ptr<CompilationUnit> unit);
    ~ModuleImpl() override;
    using nn::Module::type;
    using Object::type;

    const std::shared_ptr<CompilationUnit>& unit() const { return unit_; }
    /// The name of the class as its author wrote it, without module path and mangling.
    std::string original_name() const;

    IValue slot(std::size_t i) const override;
    void set_slot(std::size_t i, IValue value) override;
    bool is_set(std::size_t i) const;
    /// Parameters, buffers and script modules that were registered as C++ modules do it (`m->register_parameter(...)`),
    /// here and below, become attributes of their classes, which scripts read. Whatever looks at the class by name does
    /// so first.
    void adopt_registered();
    /// As Object's, of what was registered since, too.
    IValue attr(const std::string& name);
    void setattr(const std::string& name, IValue value);
    bool hasattr(const std::string& name);
    /// Adds an attribute to the class and sets it here.
    void add_attribute(const std::string& name, TypePtr type, IValue value, ClassType::AttributeKind kind);

    /// The method alone, without hooks. AttributeError naming those that there are.
    IValue run_method(const std::string& name, Args inputs, const Kwargs& kwargs = {});
    Function& method(const std::string& name) const;
    /// `forward` of any arguments that values can hold, as C++ modules have it.
    template <class... A>
    requires(std::is_constructible_v<IValue, A&&>&&...) IValue forward(A&&... inputs) {
        return run_method("forward", Args{IValue(std::forward<A>(inputs))...});
    }
    /// `forward` between the hooks that the script itself has (rule SC-26).
    IValue forward_values(const Args& inputs, const Kwargs& kwargs) override;

    bool intercepts_calls() const override;
    IValue call_forward(Function& forward, Args inputs) override;

    void train(bool on = true) override;
    bool is_training() const noexcept override;
    nn::ModulePtr clone(std::optional<Device> device = std::nullopt, bool keep_hooks = true) const override;
    std::string repr_name() const override { return "RecursiveScriptModule"; }
    std::string extra_repr() const override { return "original_name=" + original_name(); }

protected:
    void copy_from(const nn::Module& other, std::optional<Device> device, bool keep_hooks) override;

private:
    enum class Table : std::uint8_t { None, Parameter, Buffer, Child };
    struct Place {
        Table table = Table::None;
        std::size_t position = 0; ///< in the table
    };
    void add_place(const ClassType::Attribute& attribute);
    const Place& place(std::size_t i) const;
    IValue child_slot(std::size_t i, const Place& place) const;

    std::shared_ptr<CompilationUnit> unit_;
    std::vector<Place> places_;                ///< one per attribute of the class
    mutable std::vector<IValue> child_values_; ///< of children, made when they are first asked for
    std::optional<std::size_t> training_slot_;
};

class Module;

/// One method with its module.
struct Method {
    std::shared_ptr<ModuleImpl> owner;
    Function* function;
    IValue operator()(Args inputs, const Kwargs& kwargs = {}) const;
    const std::string& name() const { return function->name(); }
    std::shared_ptr<Graph> graph() const { return function->graph(); }
    std::shared_ptr<Graph> inlined_graph() const { return function->inlined_graph(); }
    std::string code() const { return function->code(); }
    const FunctionSchema& schema() const { return function->schema(); }
};

/// A handle to a script module, as libtorch's `torch::jit::Module` is one. Copies share the module; `->` gives all that
/// a Reel module has (`module->parameters()`, `module->register_full_backward_hook(...)`).
class Module : public nn::ModuleHolder<ModuleImpl> {
public:
    using nn::ModuleHolder<ModuleImpl>::ModuleHolder;
    Module() : ModuleHolder(nullptr) {}
    /// An empty module of a new class `__torch__.NAME`, to be given attributes and, with `define`, methods.
    explicit Module(const std::string& class_name, std::shared_ptr<CompilationUnit> unit = nullptr);

    /// Calls with hooks: the script's own and those registered here.
    IValue operator()(Args inputs, const Kwargs& kwargs = {}) const { return get()->call_values(inputs, kwargs); }
    /// The method `forward` without the hooks of this module; those of submodules run.
    IValue forward(Args inputs, const Kwargs& kwargs = {}) const {
        return get()->run_method("forward", std::move(inputs), kwargs);
    }
    template <class... A> IValue run_method(const std::string& name, A&&... inputs) const {
        return get()->run_method(name, Args{IValue(std::forward<A>(inputs))...});
    }
    Method get_method(const std::string& name) const; ///< AttributeError
    std::optional<Method> find_method(const std::string& name) const;
    std::vector<Method> get_methods() const;

    /// By name, constants included. AttributeError, TypeError for a value of another type.
    IValue attr(const std::string& name) const { return get()->attr(name); }
    IValue attr(const std::string& name, IValue otherwise) const;
    bool hasattr(const std::string& name) const;
    void setattr(const std::string& name, IValue value) const { get()->setattr(name, std::move(value)); }
    /// Add to the class. KeyError for a name that is taken.
    void register_parameter(const std::string& name, Tensor value, bool is_buffer) const;
    void register_buffer(const std::string& name, Tensor value) const;
    void register_attribute(const std::string& name, TypePtr type, IValue value, bool is_parameter = false,
                            bool is_buffer = false) const;
    void register_module(const std::string& name, const Module& child) const;

    void train(bool on = true) const { get()->train(on); }
    void eval() const { get()->eval(); }
    bool is_training() const { return get()->is_training(); }
    template <class... A> void to(A&&... target) const { get()->to(std::forward<A>(target)...); }
    std::vector<Tensor> parameters(bool recurse = true) const { return get()->parameters(recurse); }
    NamedList<Tensor> named_parameters(bool recurse = true) const;
    std::vector<Tensor> buffers(bool recurse = true) const { return get()->buffers(recurse); }
    NamedList<Tensor> named_buffers(bool recurse = true) const;
    std::vector<Module> children() const;
    NamedList<Module> named_children() const;
    /// Self first, depth first, each once.
    std::vector<Module> modules() const;
    NamedList<Module> named_modules() const;
    /// Every attribute of the class with its value; constants are none.
    NamedList<IValue> named_attributes() const;
    nn::StateDict state_dict() const { return get()->state_dict(); }
    void zero_grad() const { get()->zero_grad(); }

    const ClassTypePtr& type() const { return get()->Object::type(); }
    std::string original_name() const { return get()->original_name(); }
    /// Of `forward`.
    std::shared_ptr<Graph> graph() const { return get_method("forward").graph(); }
    std::shared_ptr<Graph> inlined_graph() const { return get_method("forward").inlined_graph(); }
    std::string code() const { return get_method("forward").code(); }
    std::pair<std::string, std::vector<std::pair<std::string, IValue>>> code_with_constants() const;
    /// Compiles `def name(self, ...)`s into the class: all of them, or none with a ScriptError.
    void define(const std::string& source) const;

    /// Deep copies; the class is shared.
    Module clone() const;
    Module deepcopy() const { return clone(); }
    Module copy() const { return *this; }

    /// Writes an archive that `torch.jit.load` reads (reel/script/load_save.hpp).
    void save(const std::string& path, const ExtraFilesMap& extra_files = {}) const;
    void save(std::ostream& stream, const ExtraFilesMap& extra_files = {}) const;
    std::string save_to_buffer(const ExtraFilesMap& extra_files = {}) const;

    /// The tree of modules as text: attributes, parameters' values and methods as asked for.
    std::string dump_to_str(bool print_method_bodies, bool print_attr_values, bool print_param_values) const;
    void dump(bool print_method_bodies, bool print_attr_values = true, bool print_param_values = true) const;
    std::string repr() const { return get()->repr(); }
    IValue _ivalue() const { return to_ivalue(ObjectPtr(ptr())); }
};
using ScriptModule = Module;
namespace script { // libtorch's older spelling
using jit::ExtraFilesMap;
using jit::Method;
using jit::Module;
} // namespace script

/// Whether a value holds a module, and the module; TypeError when it holds none.
bool is_module(const IValue& v);
Module to_module(const IValue& v);

} // namespace reel::jit
