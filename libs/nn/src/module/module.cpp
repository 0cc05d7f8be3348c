// Registration, traversal and look-up of modules.
#include <reel/nn/module.hpp>
#include <reel/nn/type_name.hpp>

#include <boost/core/demangle.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <ostream>
#include <unordered_set>

#include <reel/autograd/detail/notify_observers.hpp>
#include <reel/autograd/detail/pin.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/node.hpp>
#include <reel/autograd/printing.hpp>
#include <reel/autograd/registered.hpp>

#include "module/libtorch_form.hpp"
#include "module/members.hpp"

namespace reel::nn {

std::uint32_t Module::next_construction_number() noexcept {
    static std::atomic<std::uint32_t> next{0};
    return next.fetch_add(1, std::memory_order_relaxed);
}

Module::Module() = default;
Module::Module(std::string name) : name_(std::move(name)) {}
Module::Module(const Module& o)
    : std::enable_shared_from_this<Module>(o), parameters_(o.own_parameters()), buffers_(o.buffers_),
      children_(o.children_), non_persistent_(o.non_persistent_), attributes_(o.attributes_), name_(o.name_),
      hooks_(o.hooks_), forward_thunk_(o.forward_thunk_), training_(o.training_), replica_(o.replica_) {
    copy_members(o);
}
Module::Module(Module&& o) noexcept
    : std::enable_shared_from_this<Module>(), parameters_(std::move(o.parameters_)), buffers_(std::move(o.buffers_)),
      children_(std::move(o.children_)), non_persistent_(std::move(o.non_persistent_)),
      attributes_(std::move(o.attributes_)), name_(std::move(o.name_)), hooks_(std::move(o.hooks_)),
      forward_thunk_(o.forward_thunk_), training_(o.training_), replica_(o.replica_) {
    move_members(o);
}
Module& Module::operator=(const Module& o) {
    if (this == &o) return *this;
    const auto before = own_parameters();
    parameters_ = o.own_parameters();
    buffers_ = o.buffers_;
    children_ = o.children_;
    non_persistent_ = o.non_persistent_;
    attributes_ = o.attributes_;
    name_ = o.name_;
    hooks_ = o.hooks_;
    forward_thunk_ = o.forward_thunk_;
    training_ = o.training_;
    replica_ = o.replica_;
    copy_members(o);
    for (const auto& p : before)
        if (p->defined()) autograd::impl::leave_place(*p, dotted_path() + "." + p.key());
    return *this;
}
Module::~Module() = default;

const std::string& Module::name() const {
    if (!name_) name_ = boost::core::demangle(typeid(*this).name());
    return *name_;
}

namespace {
std::string join(const std::string& prefix, const std::string& name) {
    return prefix.empty() ? name : prefix + "." + name;
}
} // namespace

std::vector<std::pair<std::string, Module*>> Module::module_items(const std::string& prefix,
                                                                  bool remove_duplicate) const {
    std::vector<std::pair<std::string, Module*>> out;
    std::unordered_set<const Module*> seen;
    const auto walk = [&](const auto& self, const std::string& name, Module* m) -> void {
        if (remove_duplicate && !seen.insert(m).second) return;
        out.emplace_back(name, m);
        for (const auto& child : m->own_children())
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
        *this, prefix, recurse, remove_duplicate, [](const Module& m) -> const auto& { return m.own_parameters(); });
}
std::vector<std::pair<std::string, Tensor>> Module::buffer_items(const std::string& prefix, bool recurse,
                                                                 bool remove_duplicate) const {
    return tensor_items(
        *this, prefix, recurse, remove_duplicate, [](const Module& m) -> const auto& { return m.own_buffers(); });
}
std::vector<Tensor> Module::parameters(bool recurse) const { return values_of(parameter_items({}, recurse, true)); }
std::vector<Tensor> Module::buffers(bool recurse) const { return values_of(buffer_items({}, recurse, true)); }
OrderedDict<std::string, Tensor> Module::named_parameters(std::string_view prefix, bool recurse,
                                                          bool remove_duplicate) const {
    return as_dict("Parameter", parameter_items(std::string(prefix), recurse, remove_duplicate));
}
OrderedDict<std::string, Tensor> Module::named_buffers(std::string_view prefix, bool recurse,
                                                       bool remove_duplicate) const {
    return as_dict("Buffer", buffer_items(std::string(prefix), recurse, remove_duplicate));
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
    for (const auto& child : own_children())
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
void Module::apply(const std::function<void(const Module&)>& fn) const {
    for (const auto& child : named_children()) std::as_const(**child).apply(fn);
    fn(*this);
}
void Module::apply(const std::function<void(const std::string&, const Module&)>& fn, const std::string& prefix) const {
    for (const auto& child : named_children()) std::as_const(**child).apply(fn, join(prefix, child.key()));
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
        const ModulePtr* child = at->own_children().find(atom);
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
    const Tensor* t = m.own_parameters().find(atom);
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
    const Tensor* t = m.own_buffers().find(atom);
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
    const ModulePtr* existing = m.own_children().find(atom);
    const bool other = m.parameters_.contains(atom) || m.buffers_.contains(atom) || m.attributes_.contains(atom) ||
                       (!existing && detail::is_builtin_name(atom));
    REEL_CHECK_WITH(AttributeError, !other && (!existing || *existing), "'", atom, "' of ", m.repr_name(),
                    " is not a module");
    REEL_CHECK_WITH(AttributeError, existing || !strict, m.repr_name(), " has no submodule '", atom, "' (strict)");
    m.register_child(atom, module);
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

std::string Module::repr_name() const {
    const bool parametrized = (call_flags_ & detail::computed_flag) && children_.contains("parametrizations");
    return (parametrized ? "Parametrized" : "") + type_name(name());
}

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
    for (const auto& child : own_children())
        lines.push_back("(" + child.key() + "): " + (*child ? indented((*child)->repr()) : "None"));
    if (lines.empty() && extra.empty()) return repr_name() + "()";
    if (lines.empty() && extra.size() == 1) return repr_name() + "(" + extra[0] + ")";
    std::string r = repr_name() + "(\n";
    for (const std::string& l : extra) r += "  " + l + "\n";
    for (const std::string& l : lines) r += "  " + l + "\n";
    return r + ")";
}
void Module::pretty_print(std::ostream& os) const {
    os << (printing() == Printing::libtorch ? detail::libtorch_line(*this) : repr());
}
std::ostream& operator<<(std::ostream& os, const Module& m) {
    if (printing() == Printing::libtorch) detail::print_as_libtorch(os, m);
    else m.pretty_print(os);
    return os;
}

} // namespace reel::nn
