// Registration, traversal and look-up of modules.
#include <reel/nn/module.hpp>
#include <reel/nn/type_name.hpp>

#include <boost/core/demangle.hpp>

#include <algorithm>
#include <array>
#include <ostream>
#include <unordered_set>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/node.hpp>
#include <reel/autograd/observe.hpp>
#include <reel/autograd/pin.hpp>

#include "module/module_hooks.hpp"

namespace reel::nn {

Parameter::Parameter(const Tensor& data, bool requires_grad) : Tensor(data.detach()) {
    REEL_CHECK(!requires_grad || isDifferentiableType(data.scalar_type()),
               "Parameter: only floating and complex tensors can require grad, not ", dtype_name(data.scalar_type()));
    impl()->is_parameter = true;
    impl()->set_requires_grad_flag(requires_grad);
}

Module::Module() = default;
Module::Module(std::string name) : name_(std::move(name)) {}
Module::Module(const Module&) = default;
Module::Module(Module&&) noexcept = default;
Module& Module::operator=(const Module&) = default;
Module::~Module() = default;

const std::string& Module::name() const {
    if (!name_) name_ = boost::core::demangle(typeid(*this).name());
    return *name_;
}

namespace {
enum Table { parameter_table, buffer_table, module_table };
/// Names that Python's Module has for itself: taken, so that a state dict can always be loaded there (M-2).
constexpr std::string_view builtin_names =
    " T_destination _apply _backward_hooks _backward_pre_hooks _buffers _call_impl _compiled_call_impl "
    "_forward_hooks _forward_hooks_always_called _forward_hooks_with_kwargs _forward_pre_hooks "
    "_forward_pre_hooks_with_kwargs _get_backward_hooks _get_backward_pre_hooks _get_name _is_full_backward_hook "
    "_load_from_state_dict _load_state_dict_post_hooks _load_state_dict_pre_hooks "
    "_maybe_warn_non_full_backward_hook _modules _named_members _non_persistent_buffers_set _parameters "
    "_register_load_state_dict_pre_hook _register_state_dict_hook _replicate_for_data_parallel "
    "_save_to_state_dict _slow_forward _state_dict_hooks _state_dict_pre_hooks _version _wrapped_call_impl "
    "add_module apply bfloat16 buffers call_super_init children compile cpu cuda double dump_patches eval "
    "extra_repr float forward get_buffer get_extra_state get_parameter get_submodule half ipu load_state_dict "
    "modules mtia named_buffers named_children named_modules named_parameters parameters register_backward_hook "
    "register_buffer register_forward_hook register_forward_pre_hook register_full_backward_hook "
    "register_full_backward_pre_hook register_load_state_dict_post_hook register_load_state_dict_pre_hook "
    "register_module register_parameter register_state_dict_post_hook register_state_dict_pre_hook requires_grad_ "
    "set_extra_state set_submodule share_memory state_dict to to_empty train training type xpu zero_grad ";
bool is_builtin_name(const std::string& name) { return builtin_names.find(" " + name + " ") != std::string_view::npos; }
std::string join(const std::string& prefix, const std::string& name) {
    return prefix.empty() ? name : prefix + "." + name;
}
} // namespace

void Module::check_name(const char* kind, const std::string& name, int table) const {
    const auto dot = [&] {
        if (name.find('.') != std::string::npos)
            REEL_THROW(KeyError, this->name(), ": ", kind, " name '", name, "' must not contain a dot");
    };
    const auto empty = [&] {
        if (name.empty()) REEL_THROW(KeyError, this->name(), ": ", kind, " name must not be empty");
    };
    const auto taken = [&] {
        const bool other = (table != parameter_table && parameters_.contains(name)) ||
                           (table != buffer_table && buffers_.contains(name)) ||
                           (table != module_table && children_.contains(name)) || attributes_.contains(name) ||
                           is_builtin_name(name);
        if (other)
            REEL_THROW(KeyError, this->name(), ": ", kind, " name '", name, "' is already taken by another attribute");
    };
    if (table == module_table) taken(), dot(), empty();
    else dot(), empty(), taken();
}

Tensor& Module::register_parameter(std::string name, Tensor t, bool requires_grad) {
    check_name("parameter", name, parameter_table);
    if (t.defined()) {
        REEL_CHECK_VALUE(!t.grad_fn(), this->name(), ": parameter '", name, "' has a grad_fn (", t.grad_fn()->name(),
                         "); only leaves can be parameters. Detach it, or compute it in forward");
        if (!isDifferentiableType(t.scalar_type())) {
            REEL_CHECK(!requires_grad, this->name(), ": parameter '", name, "' is ", dtype_name(t.scalar_type()),
                       "; only floating and complex tensors can require grad");
        } else if (!Parameter::is(t)) t.requires_grad_(requires_grad);
        t.impl()->is_parameter = true;
        const auto& hooks = detail::registration_hooks().parameter;
        if (hooks) t = detail::run_registration_hooks(hooks, *this, name, Value(t)).toTensor();
    }
    return parameters_.insert_or_assign(std::move(name), std::move(t));
}
Tensor& Module::register_buffer(std::string name, Tensor t, bool persistent) {
    check_name("buffer", name, buffer_table);
    if (const auto& hooks = detail::registration_hooks().buffer) {
        const Value v = detail::run_registration_hooks(hooks, *this, name, t.defined() ? Value(t) : Value());
        t = v.isNone() ? Tensor() : v.toTensor();
    }
    std::erase(non_persistent_, name);
    if (!persistent) non_persistent_.push_back(name);
    return buffers_.insert_or_assign(std::move(name), std::move(t));
}
ModulePtr Module::register_child(std::string name, ModulePtr module) {
    check_name("submodule", name, module_table);
    module = detail::seen_by_registration_hooks(*this, name, std::move(module));
    children_.insert_or_assign(std::move(name), module);
    return module;
}
ModulePtr Module::replace_child(const std::string& name, ModulePtr module) {
    if (!children_.contains(name))
        REEL_THROW(KeyError, this->name(), ": there is no submodule '", name, "' to replace");
    return register_child(name, std::move(module));
}
void Module::unregister_module(const std::string& name) { children_.erase(name); }
void Module::unregister_parameter(const std::string& name) { parameters_.erase(name); }
void Module::unregister_buffer(const std::string& name) {
    buffers_.erase(name);
    std::erase(non_persistent_, name);
}

std::vector<std::pair<std::string, Module*>> Module::module_items(const std::string& prefix,
                                                                  bool remove_duplicate) const {
    std::vector<std::pair<std::string, Module*>> out;
    std::unordered_set<const Module*> seen;
    const auto walk = [&](const auto& self, const std::string& name, Module* m) -> void {
        if (remove_duplicate && !seen.insert(m).second) return;
        out.emplace_back(name, m);
        for (const auto& child : m->children_)
            if (*child) self(self, join(name, child.key()), child->get());
    };
    walk(walk, prefix, const_cast<Module*>(this));
    return out;
}

namespace {
template <class Get>
std::vector<std::pair<std::string, Tensor>> tensor_items(const Module& m, const std::string& prefix, bool recurse,
                                                         bool remove_duplicate, Get table) {
    std::vector<std::pair<std::string, Tensor>> out;
    std::unordered_set<const TensorImpl*> seen;
    const auto own = [&](const std::string& name, const Module& module) {
        for (const auto& item : table(module)) {
            if (!item->defined() || (remove_duplicate && !seen.insert(item->unsafeGetTensorImpl()).second)) continue;
            out.emplace_back(join(name, item.key()), *item);
        }
    };
    if (!recurse) own(prefix, m);
    else
        for (const auto& [name, module] : m.module_items(prefix, remove_duplicate)) own(name, *module);
    return out;
}
OrderedDict<std::string, Tensor> as_dict(const char* description,
                                         const std::vector<std::pair<std::string, Tensor>>& items) {
    OrderedDict<std::string, Tensor> d(description);
    for (const auto& [name, t] : items) d.insert(name, t);
    return d;
}
std::vector<Tensor> values_of(const std::vector<std::pair<std::string, Tensor>>& items) {
    std::vector<Tensor> r;
    for (const auto& item : items) r.push_back(item.second);
    return r;
}
} // namespace

std::vector<std::pair<std::string, Tensor>> Module::parameter_items(const std::string& prefix, bool recurse,
                                                                    bool remove_duplicate) const {
    return tensor_items(
        *this, prefix, recurse, remove_duplicate, [](const Module& m) -> const auto& { return m.parameters_; });
}
std::vector<std::pair<std::string, Tensor>> Module::buffer_items(const std::string& prefix, bool recurse,
                                                                 bool remove_duplicate) const {
    return tensor_items(
        *this, prefix, recurse, remove_duplicate, [](const Module& m) -> const auto& { return m.buffers_; });
}
std::vector<Tensor> Module::parameters(bool recurse) const { return values_of(parameter_items({}, recurse, true)); }
std::vector<Tensor> Module::buffers(bool recurse) const { return values_of(buffer_items({}, recurse, true)); }
OrderedDict<std::string, Tensor> Module::named_parameters(const std::string& prefix, bool recurse,
                                                          bool remove_duplicate) const {
    return as_dict("Parameter", parameter_items(prefix, recurse, remove_duplicate));
}
OrderedDict<std::string, Tensor> Module::named_buffers(const std::string& prefix, bool recurse,
                                                       bool remove_duplicate) const {
    return as_dict("Buffer", buffer_items(prefix, recurse, remove_duplicate));
}

OrderedDict<std::string, ModulePtr> Module::named_modules(const std::string& prefix, bool include_self,
                                                          bool remove_duplicate) const {
    OrderedDict<std::string, ModulePtr> out("Submodule");
    for (const auto& [name, m] : module_items(prefix, remove_duplicate)) {
        if (m == this && !include_self) continue;
        const ModulePtr p = m->weak_from_this().lock();
        REEL_CHECK(p, this->name(),
                   ": a module on the stack cannot be handed out as a shared pointer; hold it by a ModuleHolder or "
                   "std::make_shared, or ask with include_self = false");
        out.insert(name, p);
    }
    return out;
}
std::vector<ModulePtr> Module::modules(bool include_self) const { return named_modules({}, include_self).values(); }
OrderedDict<std::string, ModulePtr> Module::named_children() const {
    OrderedDict<std::string, ModulePtr> out("Submodule");
    std::unordered_set<const Module*> seen;
    for (const auto& child : children_)
        if (*child && seen.insert(child->get()).second) out.insert(child.key(), *child);
    return out;
}
std::vector<ModulePtr> Module::children() const { return named_children().values(); }

void Module::apply(const std::function<void(Module&)>& fn) {
    for (const auto& child : named_children()) (*child)->apply(fn);
    fn(*this);
}
void Module::apply(const std::function<void(const std::string&, Module&)>& fn, const std::string& prefix) {
    for (const auto& child : named_children()) (*child)->apply(fn, join(prefix, child.key()));
    fn(prefix, *this);
}
void Module::apply(const std::function<void(const ModulePtr&)>& fn) {
    apply([&](Module& m) { fn(m.shared_from_this()); });
}
void Module::apply(const std::function<void(const std::string&, const ModulePtr&)>& fn, const std::string& prefix) {
    apply([&](const std::string& name, Module& m) { fn(name, m.shared_from_this()); }, prefix);
}

namespace {
/// Splits `path` at its last dot.
std::pair<std::string, std::string> split_path(const std::string& path) {
    const std::size_t dot = path.rfind('.');
    return dot == std::string::npos ? std::pair(std::string(), path)
                                    : std::pair(path.substr(0, dot), path.substr(dot + 1));
}
} // namespace

ModulePtr Module::get_submodule(const std::string& path) const {
    ModulePtr m = const_cast<Module*>(this)->weak_from_this().lock();
    if (path.empty()) {
        REEL_CHECK(m, name(), ": get_submodule(\"\") needs a module held by a shared pointer");
        return m;
    }
    const Module* at = this;
    std::size_t begin = 0;
    while (begin <= path.size()) {
        const std::size_t end = std::min(path.find('.', begin), path.size());
        const std::string atom = path.substr(begin, end - begin);
        const ModulePtr* child = at->children_.find(atom);
        if (!child) {
            const bool other = at->parameters_.contains(atom) || at->buffers_.contains(atom);
            REEL_CHECK_WITH(AttributeError, !other, "'", atom, "' of ", at->repr_name(), " is not a module");
            REEL_THROW(AttributeError, at->repr_name(), " has no attribute '", atom, "' (looking up '", path, "')");
        }
        REEL_CHECK_WITH(AttributeError, *child, "'", atom, "' of ", at->repr_name(), " is not a module, it is none");
        m = *child;
        at = m.get();
        begin = end + 1;
    }
    return m;
}
namespace {
const Module& parent_of(const Module& root, const std::string& path, ModulePtr& keep) {
    if (path.empty()) return root;
    keep = root.get_submodule(path);
    return *keep;
}
} // namespace
Tensor Module::get_parameter(const std::string& path) const {
    const auto [parent, atom] = split_path(path);
    ModulePtr keep;
    const Module& m = parent_of(*this, parent, keep);
    const Tensor* t = m.parameters_.find(atom);
    if (!t) {
        REEL_CHECK_WITH(AttributeError, !m.buffers_.contains(atom) && !m.children_.contains(atom), "'", atom, "' of ",
                        m.repr_name(), " is not a parameter");
        REEL_THROW(AttributeError, m.repr_name(), " has no attribute '", atom, "'");
    }
    REEL_CHECK_WITH(AttributeError, t->defined(), "'", atom, "' of ", m.repr_name(), " is not a parameter, it is none");
    return *t;
}
Tensor Module::get_buffer(const std::string& path) const {
    const auto [parent, atom] = split_path(path);
    ModulePtr keep;
    const Module& m = parent_of(*this, parent, keep);
    const Tensor* t = m.buffers_.find(atom);
    if (!t) {
        REEL_CHECK_WITH(AttributeError, !m.parameters_.contains(atom) && !m.children_.contains(atom), "'", atom,
                        "' of ", m.repr_name(), " is not a buffer");
        REEL_THROW(AttributeError, m.repr_name(), " has no attribute '", atom, "'");
    }
    return *t;
}
void Module::set_submodule(const std::string& path, ModulePtr module, bool strict) {
    REEL_CHECK_VALUE(!path.empty(), name(), ": set_submodule: the path is empty");
    REEL_CHECK_VALUE(module, name(), ": set_submodule: expected a module, got none");
    const auto [parent, atom] = split_path(path);
    ModulePtr keep;
    Module& m = const_cast<Module&>(parent_of(*this, parent, keep));
    const ModulePtr* existing = m.children_.find(atom);
    const bool other = m.parameters_.contains(atom) || m.buffers_.contains(atom) || m.attributes_.contains(atom) ||
                       (!existing && is_builtin_name(atom));
    REEL_CHECK_WITH(AttributeError, !other && (!existing || *existing), "'", atom, "' of ", m.repr_name(),
                    " is not a module");
    REEL_CHECK_WITH(AttributeError, existing || !strict, m.repr_name(), " has no submodule '", atom, "' (strict)");
    m.register_child(atom, std::move(module));
}

void Module::train(bool on) {
    if (!autograd::impl::any_pins() || !autograd::impl::ask_before_mode(this, on)) training_ = on;
    for (const auto& child : named_children()) (*child)->train(on);
}
void Module::requires_grad_(bool on) {
    for (const Tensor& p : parameters()) p.requires_grad_(on);
}
void Module::zero_grad(bool set_to_none) {
    if (replica_)
        REEL_WARN("zero_grad on a replica of ", repr_name(),
                  " has no effect: its tensors are copies made by replicate, not leaves; call it on the original");
    for (const Tensor& p : parameters()) {
        Tensor& g = p.mutable_grad();
        if (!g.defined()) continue;
        if (autograd::impl::observed()) autograd::impl::note_grad_cleared(p, "Module.zero_grad", set_to_none);
        if (set_to_none) {
            g = Tensor();
            continue;
        }
        if (g.grad_fn()) g.detach_();
        else g.requires_grad_(false);
        NoGradGuard guard;
        g.zero_();
    }
}

std::string Module::repr_name() const { return type_name(name()); }

namespace {
/// Indents every line after the first; blank lines stay blank and lose their spaces (M-28).
std::string indented(const std::string& text) {
    std::string r;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string line = text.substr(begin, end - begin);
        if (begin > 0) r += '\n';
        if (line.find_first_not_of(' ') != std::string::npos) r += (begin > 0 ? "  " : "") + line;
        begin = end + 1;
    }
    return r;
}
} // namespace

std::string Module::repr() const {
    std::vector<std::string> extra, lines;
    const std::string text = extra_repr();
    if (!text.empty()) {
        std::size_t begin = 0;
        while (begin <= text.size()) {
            const std::size_t end = std::min(text.find('\n', begin), text.size());
            extra.push_back(text.substr(begin, end - begin));
            begin = end + 1;
        }
    }
    for (const auto& child : children_)
        lines.push_back("(" + child.key() + "): " + (*child ? indented((*child)->repr()) : "None"));
    if (lines.empty() && extra.empty()) return repr_name() + "()";
    if (lines.empty() && extra.size() == 1) return repr_name() + "(" + extra[0] + ")";
    std::string r = repr_name() + "(\n";
    for (const std::string& l : extra) r += "  " + l + "\n";
    for (const std::string& l : lines) r += "  " + l + "\n";
    return r + ")";
}
void Module::pretty_print(std::ostream& os) const { os << repr(); }
std::ostream& operator<<(std::ostream& os, const Module& m) {
    m.pretty_print(os);
    return os;
}

} // namespace reel::nn
