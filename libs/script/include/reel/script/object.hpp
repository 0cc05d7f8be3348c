// Instances of script classes, enum members and futures, as `IValue` holds them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <reel/script/type.hpp>

namespace reel::jit {

class Object;
using ObjectPtr = std::shared_ptr<Object>;

/// An instance of a script class, or of a module's class; shared, attributes in the slots of the class.
class Object {
public:
    explicit Object(ClassTypePtr type);
    virtual ~Object();
    const ClassTypePtr& type() const { return type_; }
    /// AttributeError naming class and attribute where a slot was never set.
    virtual IValue slot(std::size_t i) const;
    virtual void set_slot(std::size_t i, IValue value);
    /// By name; constants too. AttributeError naming class and attribute.
    IValue attr(std::string_view name) const;
    void setattr(std::string_view name, IValue value); ///< TypeError unless the value is of the attribute's type

    /// Whether a script's call of the method `forward` goes through `call_forward`: modules with hooks say so.
    virtual bool intercepts_calls() const { return false; }
    /// `inputs` are the arguments without the object itself.
    virtual IValue call_forward(Function& forward, Args inputs);

protected:
    ClassTypePtr type_;
    std::vector<IValue> slots_;
    std::vector<bool> set_;
};

/// `RED` of a class, with its value.
struct EnumMember {
    std::shared_ptr<const EnumType> type;
    std::size_t index;
    const std::string& name() const { return type->members()[index].first; }
    const IValue& value() const { return type->members()[index].second; }
};

/// What `fork` gives: here the call has run already, to its value or its exception.
struct FutureValue {
    TypePtr type; ///< of the value
    IValue value;
    std::exception_ptr error;
};

/// How `IValue` holds them: boxed handles. `is_object(v)`, `to_object(v)`: TypeError when it holds none.
IValue to_ivalue(ObjectPtr object);
bool is_object(const IValue& v);
const ObjectPtr& to_object(const IValue& v);
IValue to_ivalue(EnumMember member);
bool is_enum(const IValue& v);
const EnumMember& to_enum(const IValue& v);
IValue to_ivalue(std::shared_ptr<const FutureValue> future);
bool is_future(const IValue& v);
const FutureValue& to_future(const IValue& v);
/// Identity, as `is` means it in scripts: objects, tensors, lists, dicts by address, plain values by value.
bool same(const IValue& a, const IValue& b);
/// `==` of scripts: lists, dicts, tuples and strings deeply.
bool equal(const IValue& a, const IValue& b);
/// What `str(x)` and `print` write (rule SC-49); strings without quotes.
std::string str(const IValue& v);

} // namespace reel::jit
