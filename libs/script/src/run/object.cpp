// Objects of script classes, and how values hold them.
#include <reel/script/object.hpp>

#include <reel/autograd/error.hpp>

namespace reel::jit {

Object::Object(ClassTypePtr type) : type_(std::move(type)) {
    slots_.resize(type_->attributes().size());
    set_.resize(slots_.size());
}
Object::~Object() = default;

IValue Object::slot(std::size_t i) const {
    // A class may get attributes after its first object.
    REEL_CHECK_WITH(AttributeError, i < set_.size() && set_[i], type_->name(), ": attribute '",
                    type_->attributes().at(i).name, "' was never set");
    return slots_[i];
}
void Object::set_slot(std::size_t i, IValue value) {
    if (i >= slots_.size()) {
        slots_.resize(type_->attributes().size());
        set_.resize(slots_.size());
    }
    slots_.at(i) = std::move(value);
    set_[i] = true;
}
IValue Object::attr(std::string_view name) const {
    if (const auto i = type_->find_slot(name)) return slot(*i);
    if (const ClassType::Constant* const c = type_->find_constant(name)) return c->value;
    REEL_THROW(AttributeError, type_->name(), " has no attribute '", name, "'");
}
void Object::setattr(std::string_view name, IValue value) {
    const auto i = type_->find_slot(name);
    REEL_CHECK_WITH(AttributeError, i, type_->name(),
                    type_->find_constant(name) ? ": a constant cannot be set: '" : " has no attribute '", name, "'");
    const ClassType::Attribute& a = type_->attributes()[*i];
    REEL_CHECK_TYPE(is_instance(value, *a.type), type_->name(), ".", name, ": expected ", a.type->annotation_str(),
                    ", got ", value.repr());
    set_slot(*i, std::move(value));
}
IValue Object::call_forward(Function&, Args) {
    REEL_THROW(NotImplementedError, type_->name(), ": calls of its methods are not intercepted");
}

namespace {
template <class T> const T& unboxed(const IValue& v, const char* wanted) {
    const T* const held = v.try_get<T>();
    REEL_CHECK_TYPE(held, "expected ", wanted, ", got ", v.repr());
    return *held;
}
using FuturePtr = std::shared_ptr<const FutureValue>;
} // namespace

IValue to_ivalue(ObjectPtr object) { return IValue::box(std::move(object)); }
bool is_object(const IValue& v) { return v.try_get<ObjectPtr>(); }
const ObjectPtr& to_object(const IValue& v) { return unboxed<ObjectPtr>(v, "an object of a script class"); }
IValue to_ivalue(EnumMember member) { return IValue::box(std::move(member)); }
bool is_enum(const IValue& v) { return v.try_get<EnumMember>(); }
const EnumMember& to_enum(const IValue& v) { return unboxed<EnumMember>(v, "a member of an enum"); }
IValue to_ivalue(std::shared_ptr<const FutureValue> future) { return IValue::box(std::move(future)); }
bool is_future(const IValue& v) { return v.try_get<FuturePtr>(); }
const FutureValue& to_future(const IValue& v) { return *unboxed<FuturePtr>(v, "a Future"); }

} // namespace reel::jit
