// nn::Module: named parameters, buffers and submodules, their state, and the hooks of a call.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

#include <reel/autograd/detail/exact_argument.hpp>
#include <reel/autograd/ordered_dict.hpp>
#include <reel/autograd/registered.hpp>
#include <reel/autograd/tensor_options.hpp>
#include <reel/nn/hooks.hpp>
#include <reel/nn/parameter.hpp>
#include <reel/nn/registered_module.hpp>
#include <reel/nn/state_dict.hpp>

namespace reel::nn {

template <class M> class ModuleHolder;
class Module;

namespace detail {
struct ModuleHooks;   // src/module/hooks/tables.hpp
struct ModuleMembers; // src/module/members.hpp
class CallScope;
struct ModuleAccess; // reel/nn/detail/module_access.hpp
enum class EntryKind : std::uint8_t;
/// Where an object lies, as far as somebody knows.
struct Extent {
    const void* begin;
    std::size_t size;
};
/// Calls `forward` of the module's static type with unpacked values.
using ForwardThunk = Value (*)(Module&, const Args&, const Kwargs&);
template <class M> ForwardThunk forward_thunk_for();
} // namespace detail

/// Base of all modules. Derive from `Module` (or `Cloneable<Self>`) and give it an ordinary `forward` of any signature;
/// `net(x)` on a holder and `nn::call(*ptr, x)` run the hooks around it, `forward` alone does not (C-1).
/// Copies are shallow: same tensors, same children.
///
/// Members and tables are one (page 28 of the decisions): a member that is given to, made from or assigned what
/// `register_parameter`, `register_buffer` or `register_module` returns (a `Tensor`, a holder) is the entry. Whatever
/// replaces the entry writes the member; what is assigned to the member is the parameter, the buffer or the submodule
/// from then on.
class Module : public std::enable_shared_from_this<Module> {
public:
    Module();
    explicit Module(std::string name);
    Module(const Module&);
    Module(Module&&) noexcept;
    Module& operator=(const Module&);
    virtual ~Module();

    /// The demangled type name unless one was given.
    const std::string& name() const;

    // --- Registration (M-1 to M-6) --------------------------------------------------------------------------------
    /// Registers `t`; an undefined tensor reserves the name. Throws KeyError for a bad or taken name, ValueError for a
    /// tensor that has a grad function. Re-registering in the same table overwrites in place.
    /// The argument, too, is the entry's member if it is one of this module and nothing else gets the result.
    Registered& register_parameter(std::string name, const Tensor& t, bool requires_grad = true);
    Registered& register_parameter(std::string name, Tensor&& t, bool requires_grad = true);
    Registered& register_buffer(std::string name, const Tensor& t, bool persistent = true);
    Registered& register_buffer(std::string name, Tensor&& t, bool persistent = true);
    /// A holder that is the entry's member and cannot hold a module of that class is emptied: using it is an Error.
    template <class M> RegisteredModule<M> register_module(std::string name, std::shared_ptr<M> module) {
        if (module) learn_class<M>(*module);
        ModulePtr child = std::move(module);
        std::weak_ptr<detail::Entry> entry = register_child(std::move(name), child);
        return {std::static_pointer_cast<M>(std::move(child)), std::move(entry)};
    }
    template <class M> RegisteredModule<M> register_module(std::string name, const ModuleHolder<M>& holder) {
        RegisteredModule<M> r = register_module(std::move(name), holder.ptr_or_null());
        holder.given_to(r.entry());
        return r;
    }
    template <class M> RegisteredModule<M> register_module(std::string name, ModuleHolder<M>&& holder) {
        return register_module(std::move(name), holder.ptr_or_null());
    }
    void add_module(std::string name, ModulePtr module) { register_child(std::move(name), module); }
    /// Replaces an existing child, keeping its position; throws KeyError when there is none. Holders that are members
    /// follow. A member that is a `std::shared_ptr` has to be assigned the result: calling the former child from this
    /// module is an Error.
    template <class M> RegisteredModule<M> replace_module(const std::string& name, std::shared_ptr<M> module) {
        check_child(name);
        return register_module(name, std::move(module));
    }
    template <class M> RegisteredModule<M> replace_module(const std::string& name, const ModuleHolder<M>& holder) {
        check_child(name);
        return register_module(name, holder);
    }
    template <class M> RegisteredModule<M> replace_module(const std::string& name, ModuleHolder<M>&& holder) {
        return replace_module(name, holder.ptr_or_null());
    }
    /// These throw KeyError for a name that is not registered (M-6). Members keep what they hold, as plain members.
    void unregister_module(const std::string& name);
    void unregister_parameter(const std::string& name);
    void unregister_buffer(const std::string& name);
    /// Python's attribute assignment (M-5): a Parameter or a module (`Value::box(ModulePtr)`) goes to its table,
    /// leaving others; names of parameters, buffers and submodules take their own kind or none, else TypeError;
    /// anything else becomes a plain attribute. Everything is checked before anything changes.
    void set_attribute(const std::string& name, const Value& value);
    /// Registers a buffer with its own persistence, or changes it (M-48).
    void set_attribute(const std::string& name, const Buffer& buffer);
    /// From whichever table holds it (M-6), and from the members; AttributeError names class and attribute.
    void delete_attribute(const std::string& name);
    /// A parameter, buffer, submodule (boxed) or plain attribute; AttributeError when there is none.
    Value attribute(const std::string& name) const;
    bool has_parameter(const std::string& name) const { return parameters_.contains(name); }
    /// The module's own tables, in registration order; entries may be undefined or null (M-3). A parameter whose member
    /// was assigned a computed tensor is undefined: forward computes with it, but it is none. TypeError when a member
    /// was assigned what cannot be a parameter.
    const OrderedDict<std::string, Tensor>& own_parameters() const { return follow_members(), parameters_; }
    const OrderedDict<std::string, Tensor>& own_buffers() const { return follow_members(), buffers_; }
    const OrderedDict<std::string, ModulePtr>& own_children() const { return follow_members(), children_; }

    // --- Traversal (M-7 to M-11): registration order, depth first, dotted names, duplicates once -------------------
    std::vector<Tensor> parameters(bool recurse = true) const;
    OrderedDict<std::string, Tensor> named_parameters(std::string_view prefix = {}, bool recurse = true,
                                                      bool remove_duplicate = true) const;
    OrderedDict<std::string, Tensor> named_parameters(reel::detail::Exact<bool> recurse) const {
        return named_parameters({}, recurse);
    }
    std::vector<Tensor> buffers(bool recurse = true) const;
    OrderedDict<std::string, Tensor> named_buffers(std::string_view prefix = {}, bool recurse = true,
                                                   bool remove_duplicate = true) const;
    OrderedDict<std::string, Tensor> named_buffers(reel::detail::Exact<bool> recurse) const {
        return named_buffers({}, recurse);
    }
    /// With duplicates if asked for; a list because names may repeat.
    std::vector<std::pair<std::string, Tensor>> parameter_items(const std::string& prefix, bool recurse,
                                                                bool remove_duplicate) const;
    std::vector<std::pair<std::string, Tensor>> buffer_items(const std::string& prefix, bool recurse,
                                                             bool remove_duplicate) const;
    std::vector<ModulePtr> modules(bool include_self = true) const;
    OrderedDict<std::string, ModulePtr> named_modules(const std::string& prefix = {}, bool include_self = true,
                                                      bool remove_duplicate = true) const;
    std::vector<std::pair<std::string, Module*>> module_items(const std::string& prefix, bool remove_duplicate) const;
    std::vector<ModulePtr> children() const;
    OrderedDict<std::string, ModulePtr> named_children() const;
    /// Children first, then self (M-11).
    void apply(const std::function<void(Module&)>& fn);
    void apply(const std::function<void(const std::string&, Module&)>& fn, const std::string& prefix = {});
    void apply(const std::function<void(const Module&)>& fn) const;
    void apply(const std::function<void(const std::string&, const Module&)>& fn, const std::string& prefix = {}) const;
    void apply(const std::function<void(const ModulePtr&)>& fn);
    void apply(const std::function<void(const std::string&, const ModulePtr&)>& fn, const std::string& prefix = {});

    // --- Look-up by path (M-24 to M-26) ---------------------------------------------------------------------------
    ModulePtr get_submodule(const std::string& path) const;
    Tensor get_parameter(const std::string& path) const;
    Tensor get_buffer(const std::string& path) const;
    void set_submodule(const std::string& path, ModulePtr module, bool strict = false);

    // --- State changes (M-12 to M-23) -----------------------------------------------------------------------------
    virtual void train(bool on = true);
    void eval() { train(false); }
    virtual bool is_training() const noexcept { return training_; }
    /// Freezes or unfreezes every parameter of the subtree (M-13). Buffers and the training flag are not touched.
    void requires_grad_(bool on = true);
    virtual void zero_grad(bool set_to_none = true);
    virtual void to(Device device, ScalarType dtype, bool non_blocking = false);
    virtual void to(ScalarType dtype, bool non_blocking = false);
    virtual void to(Device device, bool non_blocking = false);
    /// Device and dtype of `other` (M-20).
    void to(const Tensor& other, bool non_blocking = false) { to(other.device(), other.scalar_type(), non_blocking); }
    /// The layout of tensors with four or five dimensions; others keep theirs (M-20).
    void to(MemoryFormat memory_format);
    void to(Device device, ScalarType dtype, bool non_blocking, MemoryFormat memory_format) {
        to(device, dtype, non_blocking);
        to(memory_format);
    }
    void type(ScalarType dtype);
    void float_() { to_floating(kFloat); }
    void double_() { to_floating(kDouble); }
    void half() { to_floating(kHalf); }
    void bfloat16() { to_floating(kBFloat16); }
    void cpu() { to(Device(kCPU)); }
    void cuda() { to(Device(kCUDA)); }
    void cuda(DeviceIndex index) { to(Device(kCUDA, index)); }
    /// Moves through a registered backend (reel/nn/backends.hpp); Error names those that there are.
    void to_backend(const std::string& name);
    void xpu() { to_backend("xpu"); }
    void ipu() { to_backend("ipu"); }
    void mtia() { to_backend("mtia"); }
    /// Moves parameters, gradients and buffers into memory that processes forked from this one share: what one writes
    /// in place, all see. The memory goes with its last user. CPU only (M-23).
    void share_memory();
    void to_empty(Device device, bool recurse = true);
    /// Applies `fn` to every parameter, gradient and buffer as M-16 to M-18 say.
    void convert(const std::function<Tensor(const Tensor&)>& fn, bool recurse = true);
    /// Back to the state of construction.
    virtual void reset() {}
    /// Compiles this module's calls in place, as `jit::compile` compiles functions
    /// (<reel/script/compiled_function.hpp>): forward is recorded once for each kind of arguments and state of the
    /// module and replayed afterwards; the module's own hooks run around it. Hooks on submodules, which must see what
    /// happens inside, make calls eager as long as they are there. Copies of the module are not compiled.
    /// `jit::explain(module)` tells what was recorded. NotImplementedError in a program without reel_script.
    void compile();
    /// A deep copy (M-50), the hooks with it. Plain `Module` throws; `Cloneable<D>` implements it; what overrides it is
    /// asked where a copy of a whole tree comes to it.
    virtual ModulePtr clone(const std::optional<Device>& device = std::nullopt) const;
    /// The same, with or without the hooks: what `Cloneable<D>` overrides.
    virtual ModulePtr clone(std::optional<Device> device, bool keep_hooks) const;
    template <class M> auto as() noexcept {
        if constexpr (requires { typename M::ContainedType; }) return dynamic_cast<typename M::ContainedType*>(this);
        else return dynamic_cast<M*>(this);
    }
    template <class M> auto as() const noexcept {
        if constexpr (requires { typename M::ContainedType; })
            return dynamic_cast<const typename M::ContainedType*>(this);
        else return dynamic_cast<const M*>(this);
    }

    // --- State dictionaries (M-33 to M-47) ------------------------------------------------------------------------
    StateDict state_dict(const std::string& prefix = {}, bool keep_vars = false);
    void state_dict_into(StateDict& destination, const std::string& prefix = {}, bool keep_vars = false);
    IncompatibleKeys load_state_dict(const StateDict& dict, bool strict = true, bool assign = false);
    virtual std::int64_t state_version() const { return 1; }
    /// Override both to add any value to the state.
    virtual bool has_extra_state() const { return false; }
    virtual Value get_extra_state() const;
    virtual bool accepts_extra_state() const { return has_extra_state(); }
    virtual void set_extra_state(const Value& state);

    // --- Archives (reel/autograd/archive.hpp) ---------------------------------------------------------------------
    /// Writes parameters, persistent buffers and extra state under their names and each serializable submodule as an
    /// archive under its own. Overrides may write other entries, and read them in `load`. State dict hooks do not run.
    virtual void save(serialize::OutputArchive& archive) const;
    /// Copies what `save` wrote into this module, converting dtype and device; also reads a state dict (with
    /// `_metadata` or dotted names), hooks included. Surplus entries are ignored. Error naming the full dotted paths of
    /// missing entries and of other shapes; nothing is changed then.
    virtual void load(serialize::InputArchive& archive);
    /// Submodules that are not are left out of both.
    virtual bool is_serializable() const { return true; }

    // --- Hooks (rules C and B) -------------------------------------------------------------------------------------
    template <class F> RemovableHandle register_forward_pre_hook(F fn, bool prepend = false) {
        return add(detail::adapt_forward_pre(std::move(fn)), prepend);
    }
    template <class F> RemovableHandle register_forward_hook(F fn, bool prepend = false, bool always_call = false) {
        return add(detail::adapt_forward(std::move(fn), always_call), prepend);
    }
    template <class F> RemovableHandle register_full_backward_pre_hook(F fn, bool prepend = false) {
        return add(detail::adapt_backward_pre(std::move(fn)), prepend);
    }
    template <class F> RemovableHandle register_full_backward_hook(F fn, bool prepend = false) {
        return add(detail::adapt_backward(std::move(fn)), prepend, true);
    }
    /// The same with named options: `register_full_backward_hook(fn, {.after_parameter_grads = true})`.
    template <class F> RemovableHandle register_forward_pre_hook(F fn, const ForwardPreOptions& o) {
        return add(detail::adapt_forward_pre(std::move(fn)), o.prepend);
    }
    template <class F> RemovableHandle register_forward_hook(F fn, const ForwardOptions& o) {
        return add(detail::adapt_forward(std::move(fn), o.always_call), o.prepend);
    }
    template <class F> RemovableHandle register_full_backward_pre_hook(F fn, const BackwardPreOptions& o) {
        return add(detail::adapt_backward_pre(std::move(fn)), o.prepend);
    }
    template <class F> RemovableHandle register_full_backward_hook(F fn, const BackwardOptions& o) {
        return add(detail::adapt_backward(std::move(fn)), o.prepend, true, o.after_parameter_grads);
    }
    template <class F> [[deprecated("use register_full_backward_hook")]] RemovableHandle register_backward_hook(F fn) {
        return add(detail::adapt_backward(std::move(fn)), false, false);
    }
    RemovableHandle register_state_dict_pre_hook(StateDictPreHook fn);
    RemovableHandle register_state_dict_post_hook(StateDictPostHook fn);
    RemovableHandle register_load_state_dict_pre_hook(LoadStateDictPreHook fn);
    RemovableHandle register_load_state_dict_post_hook(LoadStateDictPostHook fn);

    // --- Text (M-27 to M-32) --------------------------------------------------------------------------------------
    /// The options as Python prints them, empty by default; may have several lines.
    virtual std::string extra_repr() const { return {}; }
    /// The class name that is printed: `name()` without namespaces and a trailing Impl.
    virtual std::string repr_name() const;
    virtual std::string repr() const;
    virtual void pretty_print(std::ostream& os) const;

    /// Calls forward with values; throws NotImplementedError for a module without one (C-32). No hooks.
    virtual Value forward_values(const Args& args, const Kwargs& kwargs);
    /// Calls with hooks and values: what containers and dynamic callers use.
    Value call_values(const Args& args, const Kwargs& kwargs = {});
    /// True when a call must take the hook path; the only test on the fast path (C-2).
    bool has_call_hooks() const noexcept { return call_flags_ != 0; }
    /// Grows from one module of the process to the next, copies included; starts again after 2^32 of them.
    std::uint32_t construction_number() const noexcept { return construction_number_; }

protected:
    /// Own entries of the state dict and of a load; layers with versions override (M-40, M-47).
    virtual void save_own_state(StateDict& destination, const std::string& prefix, bool keep_vars);
    virtual void load_own_state(StateDict& map, const std::string& prefix, const ValueDict& local_metadata, bool strict,
                                bool assign, LoadLists& lists);
    virtual void copy_from(const Module& other, std::optional<Device> device, bool keep_hooks);
    /// This module becomes what `other`, of the same class, is, and a deep copy of it. False when the class cannot.
    virtual bool become_copy_of(const Module& other, std::optional<Device> device, bool keep_hooks);

    // To be read: they are written through the registration functions.
    OrderedDict<std::string, Tensor> parameters_{"Parameter"};
    OrderedDict<std::string, Tensor> buffers_{"Buffer"};
    OrderedDict<std::string, ModulePtr> children_{"Submodule"};
    std::vector<std::string> non_persistent_;
    ValueDict attributes_; ///< plain ones

    void rebuild_children(OrderedDict<std::string, ModulePtr> children);

private:
    template <class D> friend class Cloneable;
    friend struct detail::ModuleAccess;
    friend std::vector<ModulePtr> replicate(const Module& module, const std::vector<Device>& devices);
    friend struct detail::Entry;
    friend class detail::CallScope;
    RemovableHandle add(ForwardPreHook h, bool prepend);
    RemovableHandle add(ForwardHook h, bool prepend);
    RemovableHandle add(BackwardPreHook h, bool prepend);
    RemovableHandle add(BackwardHook h, bool prepend, bool full, bool after_parameter_grads = false);
    detail::ModuleHooks& ensure_hooks();
    static std::uint32_t next_construction_number() noexcept;
    /// The object that this module is, if the class tells.
    virtual detail::Extent extent() const { return {nullptr, 0}; }
    /// Which of the handles that got an entry are members of this module.
    void learn_extent(detail::Extent object);
    /// The class of `m` is `M`, which has its `forward`.
    template <class M> static void learn_class(Module& m) {
        if (!m.forward_thunk_) m.forward_thunk_ = detail::forward_thunk_for<M>();
        if (m.call_flags_ > 1) m.learn_extent({&static_cast<M&>(m), sizeof(M)});
    }
    /// `module` becomes what is registered, which a registration hook may have replaced.
    std::weak_ptr<detail::Entry> register_child(std::string name, ModulePtr& module);
    void check_child(const std::string& name) const;
    void to_floating(ScalarType dtype);
    void convert_parameter(const std::string& name, const std::function<Tensor(const Tensor&)>& fn);
    void check_name(const char* kind, const std::string& name, int table) const;
    void load_one(const std::string& name, bool parameter, const Value& source, const std::string& key, bool assign,
                  LoadLists& lists);
    void load_recursive(StateDict& map, const std::string& prefix, bool assign, LoadLists& lists,
                        const std::shared_ptr<StateMetadata>& metadata);
    void load_from_state_dict(serialize::InputArchive& archive);

    // Members and tables (src/module/members.cpp).
    void follow_members() const {
        if (members_) const_cast<Module*>(this)->look_at_members();
    }
    void look_at_members();
    void adopt_member(detail::Entry& entry);
    void adopt_tensor(detail::Entry& entry, const Tensor& member);
    detail::ModuleMembers& member_record();
    std::shared_ptr<detail::Entry> entry_for(const std::string& name, detail::EntryKind kind);
    /// Members of `name` go along with what comes next; else Error.
    void check_replaceable(const std::string& name) const;
    /// What members of a parameter hold in its stead, undefined for none.
    Tensor computed_member(const std::string& name) const;
    Registered& put_tensor(const std::string& name, detail::EntryKind kind, const Tensor& t);
    std::shared_ptr<detail::Entry> put_child(const std::string& name, const ModulePtr& child);
    void drop_entry(const std::string& name, bool clear_members);
    /// The tables become empty, members stay as they are.
    void forget_entries();
    void copy_members(const Module& other);
    void move_members(Module& other) noexcept;
    // What became of children that others took the place of (src/module/former.cpp).
    std::vector<std::shared_ptr<detail::Entry>> registered_at() const;
    bool still_in_use() const;
    std::string dotted_path() const;
    static void note_parent(Module& child, const std::shared_ptr<detail::Entry>& entry);
    void child_left(const std::string& name, Module& child);

    mutable std::optional<std::string> name_;
    std::shared_ptr<detail::ModuleHooks> hooks_;
    std::shared_ptr<detail::ModuleMembers> members_;
    detail::ForwardThunk forward_thunk_ = nullptr;
    unsigned call_flags_ = 0; ///< detail::CallFlag
    std::uint32_t construction_number_ = next_construction_number();
    bool training_ = true;
    bool replica_ = false; ///< of data parallelism: its tensors are attributes, not parameters (RP-1)
};

/// The exact text of rule M-27.
std::ostream& operator<<(std::ostream& os, const Module& module);

} // namespace reel::nn

namespace reel {
extern template class OrderedDict<std::string, Tensor>;
extern template class OrderedDict<std::string, nn::ModulePtr>;
} // namespace reel
