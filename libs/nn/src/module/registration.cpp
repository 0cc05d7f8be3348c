// What modules hold: names are checked, tensors and children enter their tables.
#include <algorithm>

#include <reel/autograd/node.hpp>
#include <reel/nn/module.hpp>

#include "module/hooks/tables.hpp"
#include "module/members.hpp"

namespace reel::nn {

Parameter::Parameter(const Tensor& data, bool requires_grad) : Tensor(data.detach()) {
    REEL_CHECK(!requires_grad || isDifferentiableType(data.scalar_type()),
               "Parameter: only floating and complex tensors can require grad, not ", dtype_name(data.scalar_type()));
    impl()->is_parameter = true;
    impl()->set_requires_grad_flag(requires_grad);
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
} // namespace

bool detail::is_builtin_name(const std::string& name) {
    return builtin_names.find(" " + name + " ") != std::string_view::npos;
}

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
                           detail::Entry::computed_entry(*this, name) || detail::is_builtin_name(name);
        if (other)
            REEL_THROW(KeyError, this->name(), ": ", kind, " name '", name, "' is already taken by another attribute");
    };
    if (table == module_table) taken(), dot(), empty();
    else dot(), empty(), taken();
}

Registered& Module::register_parameter(std::string name, const Tensor& t, bool requires_grad) {
    Registered& r = register_parameter(name, Tensor(t), requires_grad);
    members_->entries[name]->given_in(t);
    return r;
}
Registered& Module::register_buffer(std::string name, const Tensor& t, bool persistent) {
    Registered& r = register_buffer(name, Tensor(t), persistent);
    members_->entries[name]->given_in(t);
    return r;
}
Registered& Module::register_parameter(std::string name, Tensor&& given, bool requires_grad) {
    Tensor t = std::move(given);
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
    } else if (requires_grad) {
        REEL_WARN(this->name(), ": parameter '", name,
                  "' is undefined and cannot require grad; say register_parameter(\"", name, "\", Tensor(), false)");
    }
    return put_tensor(name, detail::EntryKind::Parameter, t);
}
Registered& Module::register_buffer(std::string name, Tensor&& given, bool persistent) {
    Tensor t = std::move(given);
    check_name("buffer", name, buffer_table);
    if (const auto& hooks = detail::registration_hooks().buffer) {
        const Value v = detail::run_registration_hooks(hooks, *this, name, t.defined() ? Value(t) : Value());
        t = v.isNone() ? Tensor() : v.toTensor();
    }
    std::erase(non_persistent_, name);
    if (!persistent) non_persistent_.push_back(name);
    return put_tensor(name, detail::EntryKind::Buffer, t);
}
std::weak_ptr<detail::Entry> Module::register_child(std::string name, ModulePtr& module) {
    check_name("submodule", name, module_table);
    module = detail::seen_by_registration_hooks(*this, name, std::move(module));
    return put_child(name, module);
}
void Module::check_child(const std::string& name) const {
    if (!children_.contains(name))
        REEL_THROW(KeyError, this->name(), ": there is no submodule '", name, "' to replace");
}
void Module::rebuild_children(OrderedDict<std::string, ModulePtr> children) {
    for (const std::string& name : children_.keys()) drop_entry(name, false);
    children_.clear();
    for (const auto& child : children) put_child(child.key(), *child);
}
void Module::unregister_module(const std::string& name) {
    follow_members();
    children_.erase(name);
    drop_entry(name, false);
}
void Module::unregister_parameter(const std::string& name) {
    follow_members();
    parameters_.erase(name);
    drop_entry(name, false);
}
void Module::unregister_buffer(const std::string& name) {
    follow_members();
    buffers_.erase(name);
    std::erase(non_persistent_, name);
    drop_entry(name, false);
}

} // namespace reel::nn
