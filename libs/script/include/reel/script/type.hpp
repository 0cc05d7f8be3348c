// The types of scripts: what the IR prints (`int[]`), what code prints (`List[int]`), and what fits where.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <reel/autograd/value.hpp>

namespace reel::jit {

class Type;
class ClassType;
class CompilationUnit;
class Function;
using TypePtr = std::shared_ptr<const Type>;
using ClassTypePtr = std::shared_ptr<ClassType>;

enum class TypeKind {
    Tensor,
    Int,
    Float,
    Bool,
    Complex,
    Number, ///< int, float, bool or complex: `Scalar` in schemas
    String,
    None,
    Any,
    Device,
    Generator,
    Stream,
    List,
    AnyList, ///< `list` in a question: a list of whatever
    Dict,
    Tuple,    ///< named tuples too
    AnyTuple, ///< `tuple` in a question
    Optional,
    Union,
    Future,
    Class, ///< modules too
    Interface,
    Enum,
    Function,
    Var ///< a type variable of a schema: `t` in `append.t(t[](a!) self, t el) -> t[](a!)`
};

/// An immutable type; compare with `equals`, not by address.
class Type : public std::enable_shared_from_this<Type> {
public:
    virtual ~Type();
    TypeKind kind() const { return kind_; }
    /// As the IR prints it: `int[]`, `Dict(str, Tensor)`, `Float(2, 3, strides=[3, 1], requires_grad=0, device=cpu)`.
    virtual std::string str() const;
    /// As code prints it: `List[int]`, `Dict[str, Tensor]`, `Tensor`.
    virtual std::string annotation_str() const;
    /// Element types: of a list, of key and value, of a tuple, of a union's members.
    const std::vector<TypePtr>& contained() const { return contained_; }
    /// What a trace knows of a tensor makes no other type.
    virtual bool equals(const Type& other) const;
    /// Rule SC-33. A class is a subtype of the interfaces whose methods it has.
    bool is_subtype_of(const Type& other) const;
    /// The qualified name of a class, interface, enum or named tuple, the name of a variable; empty for all others.
    virtual const std::string& name() const;
    template <class T> std::shared_ptr<const T> cast() const {
        return std::dynamic_pointer_cast<const T>(shared_from_this());
    }

    static const TypePtr& Tensor();
    static const TypePtr& Int();
    static const TypePtr& Float();
    static const TypePtr& Bool();
    static const TypePtr& Complex();
    static const TypePtr& Number();
    static const TypePtr& String();
    static const TypePtr& None();
    static const TypePtr& Any();
    static const TypePtr& Device();
    static const TypePtr& Generator();
    static const TypePtr& Stream();
    static const TypePtr& Function();
    static const TypePtr& AnyList();
    static const TypePtr& AnyTuple();
    static TypePtr List(TypePtr element);
    static TypePtr Dict(TypePtr key, TypePtr value);
    static TypePtr Tuple(std::vector<TypePtr> elements);
    static TypePtr NamedTuple(std::string qualified_name, std::vector<std::string> fields, std::vector<TypePtr> types);
    static TypePtr Optional(TypePtr element);           ///< of an Optional, of Any and of None: the same
    static TypePtr Union(std::vector<TypePtr> members); ///< flattened; T and None make an Optional
    static TypePtr Future(TypePtr element);
    static TypePtr Var(std::string name);

protected:
    explicit Type(TypeKind kind, std::vector<TypePtr> contained = {});
    TypeKind kind_;
    std::vector<TypePtr> contained_;
};

/// A tensor of which a trace knows dtype, sizes, strides, whether it requires grad, and the device; or just `Tensor`.
class TensorType : public Type {
public:
    struct Profile {
        ScalarType dtype;
        std::vector<std::int64_t> sizes, strides;
        std::optional<bool> requires_grad; ///< none: not known (numbers that became tensors)
        reel::Device device = kCPU;
    };
    explicit TensorType(std::optional<Profile> profile);
    const std::optional<Profile>& profile() const { return profile_; }
    std::string str() const override;
    std::string annotation_str() const override { return "Tensor"; }
    static TypePtr of(const reel::Tensor& tensor);
    static const TypePtr& get() { return Type::Tensor(); }

private:
    std::optional<Profile> profile_;
};

/// A plain or a named tuple.
class TupleType : public Type {
public:
    TupleType(std::vector<TypePtr> elements, std::string qualified_name = {}, std::vector<std::string> fields = {});
    const std::vector<std::string>& fields() const { return fields_; } ///< empty for a plain tuple
    bool is_named() const { return !qualified_name_.empty(); }
    std::string str() const override;
    std::string annotation_str() const override;
    bool equals(const Type& other) const override;
    const std::string& name() const override { return qualified_name_; }

private:
    std::string qualified_name_;
    std::vector<std::string> fields_;
};

/// An enum: its members' values are all of one type (int, float or str).
class EnumType : public Type {
public:
    EnumType(std::string qualified_name, TypePtr value_type, std::vector<std::pair<std::string, IValue>> members);
    const TypePtr& value_type() const { return value_type_; }
    const std::vector<std::pair<std::string, IValue>>& members() const { return members_; }
    std::string str() const override; ///< `Enum<__torch__.m.Color>`
    std::string annotation_str() const override { return qualified_name_; }
    bool equals(const Type& other) const override;
    const std::string& name() const override { return qualified_name_; }

private:
    std::string qualified_name_;
    TypePtr value_type_;
    std::vector<std::pair<std::string, IValue>> members_;
};

struct FunctionSchema;

/// What a module interface asks for: methods by name and schema (`self` left out).
class InterfaceType : public Type {
public:
    InterfaceType(std::string qualified_name, std::vector<FunctionSchema> methods);
    ~InterfaceType() override;
    const std::vector<FunctionSchema>& methods() const;
    const FunctionSchema* find_method(std::string_view name) const;
    std::string str() const override; ///< `InterfaceType<Op>`, the last part of the name
    std::string annotation_str() const override { return qualified_name_; }
    bool equals(const Type& other) const override;
    const std::string& name() const override { return qualified_name_; }

private:
    std::string qualified_name_;
    std::unique_ptr<std::vector<FunctionSchema>> methods_;
};

/// A script class or the class of a module: attributes in slots, constants, methods, hooks.
class ClassType : public Type {
public:
    enum class AttributeKind { Regular, Parameter, Buffer };
    struct Attribute {
        std::string name;
        TypePtr type;
        AttributeKind kind = AttributeKind::Regular;
    };
    struct Constant {
        std::string name;
        TypePtr type;
        IValue value;
    };
    /// One line of the class text in its order: an attribute's or a constant's index (rule SC-21).
    struct Line {
        bool is_constant;
        std::size_t index;
    };

    ClassType(std::string qualified_name, bool is_module, CompilationUnit* unit);
    ~ClassType() override;
    bool is_module() const { return is_module_; }
    CompilationUnit* unit() const { return unit_; }
    std::string str() const override { return qualified_name_; }
    std::string annotation_str() const override { return qualified_name_; }
    bool equals(const Type& other) const override; ///< identity
    const std::string& name() const override { return qualified_name_; }

    std::size_t add_attribute(std::string name, TypePtr type, AttributeKind kind = AttributeKind::Regular);
    void add_constant(std::string name, TypePtr type, IValue value);
    const std::vector<Attribute>& attributes() const { return attributes_; }
    const std::vector<Constant>& constants() const { return constants_; }
    const std::vector<Line>& lines() const { return lines_; }
    std::optional<std::size_t> find_slot(std::string_view attribute) const;
    const Constant* find_constant(std::string_view name) const;

    /// Methods in the order of the text. Properties are methods `__NAME_getter`, `__NAME_setter` (SC-24).
    void add_method(std::shared_ptr<jit::Function> method);
    const std::vector<std::shared_ptr<jit::Function>>& methods() const { return methods_; }
    jit::Function* find_method(std::string_view name) const; ///< null when absent
    void remove_method(std::string_view name);               ///< undoes a failed `define`
    /// Names of methods that the head of the class lists as hooks (SC-20).
    std::vector<std::string> forward_pre_hooks, forward_hooks;

private:
    std::string qualified_name_;
    bool is_module_;
    CompilationUnit* unit_;
    std::vector<Attribute> attributes_;
    std::vector<Constant> constants_;
    std::vector<Line> lines_;
    std::vector<std::shared_ptr<jit::Function>> methods_;
};

/// The narrowest type that both fit into: equal types, T and None to `T?`, tuples element-wise; none where there is
/// none.
std::optional<TypePtr> unify(const TypePtr& a, const TypePtr& b);
/// The type that a value shows by itself: an empty list is `Tensor[]`, a list of ints `int[]`, an object its class.
TypePtr type_of(const IValue& value);
/// Whether the value, elements included, is of the type (dtypes, layouts and memory formats are ints there).
bool is_instance(const IValue& value, const Type& type);

} // namespace reel::jit
