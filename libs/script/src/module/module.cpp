// The handle: what libtorch's torch::jit::Module has beyond a Reel module.
#include <reel/script/module.hpp>

#include <iostream>
#include <sstream>

#include <reel/script/compile.hpp>
#include <reel/script/load_save.hpp>

namespace reel::jit {

bool is_module(const IValue& v) {
    return is_object(v) && dynamic_cast<const ModuleImpl*>(to_object(v).get()) != nullptr;
}
Module to_module(const IValue& v) {
    REEL_CHECK_TYPE(is_module(v), "expected a script module, got ", v.repr());
    return Module(std::dynamic_pointer_cast<ModuleImpl>(to_object(v)));
}

IValue Method::operator()(Args inputs, const Kwargs& kwargs) const {
    return owner->run_method(function->name(), std::move(inputs), kwargs);
}

Module::Module(const std::string& class_name, std::shared_ptr<CompilationUnit> unit) : ModuleHolder(nullptr) {
    if (!unit) unit = std::make_shared<CompilationUnit>();
    const auto type = std::make_shared<ClassType>(unit->mangled("__torch__." + class_name), true, unit.get());
    type->add_attribute("training", Type::Bool());
    unit->add_type(type);
    const auto impl = std::make_shared<ModuleImpl>(type, std::move(unit));
    impl->set_slot(0, true);
    *this = Module(impl);
}

Method Module::get_method(const std::string& name) const { return {ptr(), &get()->method(name)}; }
std::optional<Method> Module::find_method(const std::string& name) const {
    if (!type()->find_method(name)) return std::nullopt;
    return get_method(name);
}
std::vector<Method> Module::get_methods() const {
    std::vector<Method> out;
    for (const auto& m : type()->methods()) out.push_back({ptr(), m.get()});
    return out;
}

IValue Module::attr(const std::string& name, IValue otherwise) const { return hasattr(name) ? attr(name) : otherwise; }
bool Module::hasattr(const std::string& name) const { return get()->hasattr(name); }
void Module::register_parameter(const std::string& name, Tensor value, bool is_buffer) const {
    register_attribute(name, Type::Tensor(), value, !is_buffer, is_buffer);
}
void Module::register_buffer(const std::string& name, Tensor value) const { register_parameter(name, value, true); }
void Module::register_attribute(const std::string& name, TypePtr type, IValue value, bool is_parameter,
                                bool is_buffer) const {
    using Kind = ClassType::AttributeKind;
    get()->add_attribute(name, std::move(type), std::move(value),
                         is_parameter ? Kind::Parameter
                         : is_buffer  ? Kind::Buffer
                                      : Kind::Regular);
}
void Module::register_module(const std::string& name, const Module& child) const {
    get()->add_attribute(name, child.type(), child._ivalue(), ClassType::AttributeKind::Regular);
}

namespace {
Module handle(const nn::ModulePtr& m) {
    const auto script = std::dynamic_pointer_cast<ModuleImpl>(m);
    REEL_CHECK_TYPE(script, "a submodule is a ", m->repr_name(), ", which is no script module");
    return Module(script);
}
NamedList<Tensor> listed(const OrderedDict<std::string, Tensor>& tensors) {
    NamedList<Tensor> out;
    for (const auto& item : tensors) out.push_back({item.key(), item.value()});
    return out;
}
} // namespace

NamedList<Tensor> Module::named_parameters(bool recurse) const { return listed(get()->named_parameters(recurse)); }
NamedList<Tensor> Module::named_buffers(bool recurse) const { return listed(get()->named_buffers(recurse)); }

NamedList<Module> Module::named_children() const {
    NamedList<Module> out;
    for (const auto& child : get()->named_children()) out.push_back({child.key(), handle(*child)});
    return out;
}
std::vector<Module> Module::children() const {
    std::vector<Module> out;
    for (auto& [name, child] : named_children()) out.push_back(std::move(child));
    return out;
}
NamedList<Module> Module::named_modules() const {
    NamedList<Module> out;
    for (const auto& m : get()->named_modules()) out.push_back({m.key(), handle(*m)});
    return out;
}
std::vector<Module> Module::modules() const {
    std::vector<Module> out;
    for (auto& [name, m] : named_modules()) out.push_back(std::move(m));
    return out;
}
NamedList<IValue> Module::named_attributes() const {
    get()->adopt_registered();
    NamedList<IValue> out;
    const auto& attributes = type()->attributes();
    for (std::size_t i = 0; i < attributes.size(); ++i) out.push_back({attributes[i].name, get()->slot(i)});
    return out;
}

std::pair<std::string, std::vector<std::pair<std::string, IValue>>> Module::code_with_constants() const {
    return get()->method("forward").code_with_constants();
}
void Module::define(const std::string& source) const {
    get()->adopt_registered();
    define_methods(*type(), source);
}
Module Module::clone() const { return Module(std::static_pointer_cast<ModuleImpl>(get()->clone())); }

void Module::save(const std::string& path, const ExtraFilesMap& extra_files) const {
    jit::save(*this, path, extra_files);
}
void Module::save(std::ostream& stream, const ExtraFilesMap& extra_files) const {
    jit::save(*this, stream, extra_files);
}
std::string Module::save_to_buffer(const ExtraFilesMap& extra_files) const {
    return jit::save_to_buffer(*this, extra_files);
}

namespace {
std::string indented(const std::string& text) {
    std::string out;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) out += "  " + line + "\n";
    return out;
}
std::string attribute_line(const ClassType::Attribute& a, const IValue& value, bool print_values) {
    return "    " + a.name + " = " + (print_values ? str(value) : a.type->annotation_str()) + "\n";
}
} // namespace

std::string Module::dump_to_str(bool print_method_bodies, bool print_attr_values, bool print_param_values) const {
    get()->adopt_registered();
    std::string parameters, attributes, methods, submodules;
    const auto& all = type()->attributes();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const IValue value = get()->slot(i);
        if (is_module(value)) continue;
        const bool parameter = all[i].kind == ClassType::AttributeKind::Parameter;
        (parameter ? parameters : attributes) +=
            attribute_line(all[i], value, parameter ? print_param_values : print_attr_values);
    }
    for (const Method& m : get_methods())
        methods += "    method " + m.name() + " {\n" +
                   (print_method_bodies ? indented(indented(indented(m.graph()->str()))) : "") + "    }\n";
    for (const auto& child : get()->own_children())
        if (*child)
            submodules += indented(
                indented(handle(*child).dump_to_str(print_method_bodies, print_attr_values, print_param_values)));
    return "module " + type()->name() + " {\n  parameters {\n" + parameters + "  }\n  attributes {\n" + attributes +
           "  }\n  methods {\n" + methods + "  }\n  submodules {\n" + submodules + "  }\n}\n";
}
void Module::dump(bool print_method_bodies, bool print_attr_values, bool print_param_values) const {
    std::cout << dump_to_str(print_method_bodies, print_attr_values, print_param_values) << std::endl;
}

} // namespace reel::jit
