// A script module: slots of its class that are entries of the module's tables.
#include <reel/script/module.hpp>

#include <algorithm>

namespace reel::jit {

namespace {
bool is_tensor_like(const Type& t) {
    return t.kind() == TypeKind::Tensor || t.kind() == TypeKind::None ||
           (t.kind() == TypeKind::Optional && t.contained()[0]->kind() == TypeKind::Tensor);
}
bool is_module_type(const Type& t) {
    if (t.kind() == TypeKind::Class) return static_cast<const ClassType&>(t).is_module();
    return t.kind() == TypeKind::Interface;
}
Tensor tensor_or_none(const IValue& v) { return v.isNone() ? Tensor() : v.toTensor(); }
} // namespace

ModuleImpl::ModuleImpl(ClassTypePtr type, std::shared_ptr<CompilationUnit> unit)
    : nn::Module(type->name()), Object(type), unit_(std::move(unit)) {
    for (const ClassType::Attribute& a : type->attributes()) add_place(a);
}
ModuleImpl::~ModuleImpl() = default;

namespace {
/// Where the table has the name, else where it will have it next.
template <class Dict> std::size_t position_of(const Dict& table, const std::string& name) {
    const auto& items = table.items();
    const auto known = std::ranges::find_if(items, [&](const auto& item) { return item.key() == name; });
    return std::size_t(known - items.begin());
}
} // namespace

void ModuleImpl::add_place(const ClassType::Attribute& a) {
    const std::size_t i = places_.size();
    Place place;
    bool is_new = true;
    const auto in = [&](Table table, const auto& entries) {
        place = {table, position_of(entries, a.name)};
        is_new = place.position == entries.size();
    };
    if (a.kind != ClassType::AttributeKind::Regular) {
        REEL_CHECK_TYPE(is_tensor_like(*a.type), type_->name(), ": '", a.name,
                        "' is declared a parameter or buffer, but its type is ", a.type->annotation_str(),
                        "; expected Tensor, Optional[Tensor] or NoneType");
        const bool parameter = a.kind == ClassType::AttributeKind::Parameter;
        if (parameter) in(Table::Parameter, parameters_);
        else in(Table::Buffer, buffers_);
        if (is_new && parameter) register_parameter(a.name, Tensor(), false);
        else if (is_new) register_buffer(a.name, Tensor());
    } else if (is_module_type(*a.type)) {
        in(Table::Child, children_);
        if (is_new) add_module(a.name, nullptr);
    } else if (a.name == "training" && a.type->kind() == TypeKind::Bool) training_slot_ = i;
    places_.push_back(place);
    child_values_.emplace_back();
    if (slots_.size() <= i) slots_.resize(i + 1), set_.resize(i + 1);
    if (!is_new) set_[i] = true;
}
const ModuleImpl::Place& ModuleImpl::place(std::size_t i) const {
    // the class may have got attributes through another of its objects
    if (i >= places_.size())
        REEL_THROW(AttributeError, "'", type_->name(), "' object has no attribute '", type_->attributes().at(i).name,
                   "': it was added to the class through another module");
    return places_[i];
}
std::string ModuleImpl::original_name() const {
    const std::string& name = type_->name();
    return name.substr(name.rfind('.') + 1);
}

namespace {
/// The entry that was registered as number `position`, unless somebody unregistered it or one before it.
template <class Dict> auto* entry(const Dict& table, std::size_t position, const std::string& name) {
    if (position < table.size())
        if (const auto& item = table.items()[position]; item.key() == name) return &item.value();
    return table.find(name);
}
} // namespace

IValue ModuleImpl::child_slot(std::size_t i, const Place& p) const {
    const std::string& name = type_->attributes()[i].name;
    const nn::ModulePtr* child = entry(children_, p.position, name);
    if (!child || !*child) {
        if (set_[i]) return {};
        REEL_THROW(AttributeError, "'", type_->name(), "' object has no attribute '", name, "'");
    }
    IValue& known = child_values_[i];
    if (is_object(known))
        if (const auto* same = dynamic_cast<const ModuleImpl*>(to_object(known).get()); same == child->get())
            return known;
    const auto script = std::dynamic_pointer_cast<ModuleImpl>(*child);
    REEL_CHECK_TYPE(script, type_->name(), ": the submodule '", name, "' was replaced by a ", (*child)->repr_name(),
                    ", which is no script module: scripts cannot call it");
    return known = to_ivalue(ObjectPtr(script));
}
IValue ModuleImpl::slot(std::size_t i) const {
    const Place& p = place(i);
    if (p.table == Table::None) return Object::slot(i);
    if (p.table == Table::Child) return child_slot(i, p);
    const std::string& name = type_->attributes()[i].name;
    const Tensor* t = entry(p.table == Table::Parameter ? parameters_ : buffers_, p.position, name);
    if (t && t->defined()) return *t;
    if (t && set_[i]) return {};
    REEL_THROW(AttributeError, "'", type_->name(), "' object has no attribute '", name, "'");
}
void ModuleImpl::set_slot(std::size_t i, IValue value) {
    const Place& p = place(i);
    if (p.table == Table::None) return Object::set_slot(i, std::move(value));
    const std::string& name = type_->attributes()[i].name;
    if (p.table == Table::Child) {
        std::shared_ptr<ModuleImpl> child;
        if (!value.isNone()) {
            child = std::dynamic_pointer_cast<ModuleImpl>(to_object(value));
            REEL_CHECK_TYPE(child, type_->name(), ": the attribute '", name, "' expects a module, got ", value.repr());
        }
        add_module(name, child);
        child_values_[i] = std::move(value);
    } else if (p.table == Table::Parameter) {
        Tensor t = tensor_or_none(value);
        const bool requires_grad = t.defined() && t.requires_grad();
        if (requires_grad && !t.is_leaf()) t = t.detach(); // computed by the script: a parameter begins here
        register_parameter(name, Tensor(t), requires_grad);
    } else register_buffer(name, tensor_or_none(value));
    set_[i] = true;
}
void ModuleImpl::adopt_registered() {
    using Kind = ClassType::AttributeKind;
    while (places_.size() < type_->attributes().size()) add_place(type_->attributes()[places_.size()]);
    const auto adopt = [&](const std::string& name, TypePtr type, Kind kind) {
        if (type_->find_slot(name) || type_->find_constant(name) || type_->find_method(name)) return;
        add_place(type_->attributes()[type_->add_attribute(name, std::move(type), kind)]);
    };
    const auto type_of = [](const Tensor& t) { return t.defined() ? Type::Tensor() : Type::Optional(Type::Tensor()); };
    for (const auto& p : own_parameters()) adopt(p.key(), type_of(*p), Kind::Parameter);
    for (const auto& b : own_buffers()) adopt(b.key(), type_of(*b), Kind::Buffer);
    for (const auto& child : own_children())
        if (const auto script = std::dynamic_pointer_cast<ModuleImpl>(*child)) {
            script->adopt_registered();
            adopt(child.key(), script->Object::type(), Kind::Regular);
        }
}
IValue ModuleImpl::attr(const std::string& name) {
    hasattr(name);
    return Object::attr(name);
}
void ModuleImpl::setattr(const std::string& name, IValue value) {
    hasattr(name);
    Object::setattr(name, std::move(value));
}
bool ModuleImpl::hasattr(const std::string& name) {
    const auto known = [&] { return type_->find_slot(name) || type_->find_constant(name); };
    if (known() && places_.size() == type_->attributes().size()) return true;
    adopt_registered();
    return known();
}
bool ModuleImpl::is_set(std::size_t i) const { return i < set_.size() && set_[i]; }

void ModuleImpl::add_attribute(const std::string& name, TypePtr type, IValue value, ClassType::AttributeKind kind) {
    adopt_registered();
    if (type_->find_slot(name) || type_->find_constant(name) || type_->find_method(name))
        REEL_THROW(KeyError, type_->name(), ": the name '", name, "' is taken");
    REEL_CHECK_TYPE(is_instance(value, *type), type_->name(), ": the attribute '", name, "' expects ",
                    type->annotation_str(), ", got ", value.repr());
    const std::size_t i = type_->add_attribute(name, std::move(type), kind);
    add_place(type_->attributes()[i]);
    set_slot(i, std::move(value));
}

void ModuleImpl::train(bool on) {
    nn::Module::train(on);
    // a pinned module may have kept its mode
    if (training_slot_) Object::set_slot(*training_slot_, nn::Module::is_training());
}
bool ModuleImpl::is_training() const noexcept {
    return training_slot_ && set_[*training_slot_] ? slots_[*training_slot_].toBool() : nn::Module::is_training();
}

} // namespace reel::jit
