// Attribute assignment and deletion as Python has them (rules M-5, M-6, M-48).
#include <algorithm>

#include <reel/autograd/node.hpp>
#include <reel/nn/module.hpp>

#include "module/hooks/tables.hpp"
#include "module/members.hpp"

namespace reel::nn {

namespace {
[[noreturn]] void throw_kind(const Module& m, const char* table, const std::string& name, const std::string& got,
                             const char* expected) {
    REEL_THROW(TypeError, m.repr_name(), ": cannot assign a ", got, " to ", table, " '", name, "'; expected ",
               expected);
}
std::string kind_of(const Value& v) {
    const auto* module = v.try_get<ModulePtr>();
    if (module) return *module ? (*module)->repr_name() : std::string("none");
    return v.isTensor() && Parameter::is(v.toTensor()) ? "Parameter" : v.kind_name();
}
} // namespace

void Module::set_attribute(const std::string& name, const Value& value) {
    const auto* module = value.try_get<ModulePtr>();
    const bool none = value.isNone() || (module && !*module);
    const bool parameter = value.isTensor() && Parameter::is(value.toTensor());
    follow_members();
    if (const auto entry = detail::Entry::computed_entry(*this, name)) {
        if (!value.isTensor()) throw_kind(*this, "computed tensor", name, kind_of(value), "a Tensor");
        return entry->assign(value.toTensor());
    }
    check_replaceable(name);
    // Registration checks the name against the other tables, and may throw (also in a hook): they lose their entry
    // only once it has succeeded.
    const auto move_here = [&](auto&& enroll) {
        // Most names are new, or stay in their table: nothing has to be moved, and nothing to be put back.
        if (!attributes_.find(std::string_view(name)) && !buffers_.contains(name) &&
            (parameter ? !children_.contains(name) : !parameters_.contains(name)))
            return enroll();
        const OrderedDict<std::string, Tensor> parameters = parameters_, buffers = buffers_;
        const OrderedDict<std::string, ModulePtr> children = children_;
        const ValueDict attributes = attributes_;
        const std::vector<std::string> non_persistent = non_persistent_;
        try {
            attributes_.erase(name);
            if (!parameter && parameters_.contains(name)) parameters_.erase(name);
            if (buffers_.contains(name)) buffers_.erase(name);
            if (parameter && children_.contains(name)) children_.erase(name);
            std::erase(non_persistent_, name);
            enroll();
        } catch (...) {
            parameters_ = parameters, buffers_ = buffers, children_ = children;
            attributes_ = attributes, non_persistent_ = non_persistent;
            throw;
        }
    };
    // Unlike add_module, assignment takes any name for a child; only none at all is refused, as in M-26.
    const auto enroll_child = [&](ModulePtr child) {
        if (name.empty()) REEL_THROW(KeyError, this->name(), ": submodule name must not be empty");
        put_child(name, detail::seen_by_registration_hooks(*this, name, std::move(child)));
    };
    if (parameter) {
        move_here([&] { register_parameter(name, Tensor(value.toTensor()), value.toTensor().requires_grad()); });
    } else if (parameters_.contains(name)) {
        if (!none) throw_kind(*this, "parameter", name, kind_of(value), "a Parameter or none");
        register_parameter(name, Tensor(), false);
    } else if (module && *module) {
        move_here([&] { enroll_child(*module); });
    } else if (children_.contains(name)) {
        if (!none) throw_kind(*this, "submodule", name, kind_of(value), "a module or none");
        enroll_child(nullptr);
    } else if (buffers_.contains(name)) {
        if (!none && !value.isTensor()) throw_kind(*this, "buffer", name, kind_of(value), "a Tensor or none");
        const bool kept = std::find(non_persistent_.begin(), non_persistent_.end(), name) == non_persistent_.end();
        register_buffer(name, none ? Tensor() : Tensor(value.toTensor()), kept);
    } else attributes_.set(Value(name), value);
}

void Module::set_attribute(const std::string& name, const Buffer& buffer) {
    if (parameters_.contains(name)) throw_kind(*this, "parameter", name, "Buffer", "a Parameter or none");
    if (children_.contains(name)) throw_kind(*this, "submodule", name, "Buffer", "a module or none");
    register_buffer(name, Tensor(buffer), buffer.persistent());
}

void Module::delete_attribute(const std::string& name) {
    follow_members();
    REEL_CHECK(
        !detail::Entry::computed_entry(*this, name), repr_name(), ": '", name,
        "' is computed from other tensors and cannot be deleted; take away its parametrization, normalization or "
        "pruning first (remove_parametrizations, prune::remove, ...)");
    if (parameters_.contains(name)) parameters_.erase(name);
    else if (children_.contains(name)) children_.erase(name);
    else if (buffers_.contains(name)) {
        buffers_.erase(name);
        std::erase(non_persistent_, name);
    } else if (!attributes_.erase(name))
        REEL_THROW(AttributeError, repr_name(), " has no attribute '", name, "' to delete");
    drop_entry(name, true);
}

Value Module::attribute(const std::string& name) const {
    const auto tensor = [](const Tensor& t) { return t.defined() ? Value(t) : Value(); };
    follow_members();
    if (const Tensor* p = parameters_.find(name)) return tensor(p->defined() ? *p : computed_member(name));
    if (const Tensor* b = buffers_.find(name)) return tensor(*b);
    if (const ModulePtr* c = children_.find(name)) return *c ? Value::box(*c) : Value();
    if (const Value* v = attributes_.find(std::string_view(name))) return *v;
    if (const auto entry = detail::Entry::computed_entry(*this, name)) return tensor(entry->recompute());
    REEL_THROW(AttributeError, repr_name(), " has no attribute '", name, "'");
}

} // namespace reel::nn
