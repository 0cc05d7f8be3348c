// Any argument or result: what hooks, keyword arguments, named op calls, extra state and archives speak.
#pragma once

#include <complex>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

#include <reel/autograd/tensor.hpp>

namespace reel {

class Value;
class Tuple;
template <class T> class List;
/// Positional arguments; also the elements of lists and tuples.
using Args = std::vector<Value>;

/// An insertion-ordered map. Keys are values (strings in keyword arguments and state dicts; integers occur in
/// archives); they are not to be changed in place. Large dicts find their keys by hash.
class ValueDict {
public:
    struct Item; ///< `auto& [key, value]`, or `item.key()`, `item.value()`
    ValueDict();
    ~ValueDict();
    ValueDict(const ValueDict&);
    ValueDict(ValueDict&&) noexcept;
    ValueDict& operator=(const ValueDict&);
    ValueDict& operator=(ValueDict&&) noexcept;
    ValueDict(std::initializer_list<std::pair<std::string, Value>> items);

    std::size_t size() const;
    bool empty() const { return size() == 0; }
    bool contains(std::string_view key) const { return find(key) != nullptr; }
    const Value* find(std::string_view key) const; ///< null when absent
    Value* find(std::string_view key);
    const Value* find(const Value& key) const;
    Value* find(const char* key) { return find(std::string_view(key)); } // a literal is as near to a Value
    const Value* find(const char* key) const { return find(std::string_view(key)); }
    const Value& at(std::string_view key) const&; ///< throws KeyError naming the key
    Value at(std::string_view key) const&&;       ///< of a temporary, which takes what it holds along
    Value& operator[](std::string_view key);      ///< inserts none when absent
    void set(Value key, Value value);             ///< overwrites in place or appends
    bool erase(std::string_view key);
    void clear();
    Item* begin();
    Item* end();
    const Item* begin() const;
    const Item* end() const;

    /// Attributes beside the items, as Python's state dicts carry `_metadata`; mostly none. Copies share their values.
    const ValueDict& attributes() const;
    /// Null when there is none of that name.
    const Value* attribute(std::string_view name) const { return attributes().find(name); }
    void set_attribute(std::string_view name, Value value);

private:
    struct Beside;
    template <class Key> std::size_t position(const Key& key) const; ///< size() when absent
    void append(Value key, Value value);
    std::vector<Item> items_;
    std::unique_ptr<Beside> beside_; ///< the index of a large dict and the attributes; null where there is neither
};
/// Keyword arguments, in order.
using Kwargs = ValueDict;

/// A variant of none, Tensor, bool, int64, double, complex, string, dtype, device, list, tuple, dict and boxed types of
/// users. Lists and dicts are shared handles, as in Python; tuples are immutable. TypeError names the other type.
class Value {
public:
    enum class Kind : std::uint8_t {
        None,
        Tensor,
        Bool,
        Int,
        Double,
        Complex,
        String,
        Dtype,
        Device,
        List,
        Tuple,
        Dict,
        Boxed
    };

    // All of these are defined in value.cpp: copies, moves and deletions are compiled once, not in every file.
    Value() noexcept;
    Value(const Value&);
    Value(Value&&) noexcept;
    Value& operator=(const Value&);
    Value& operator=(Value&&) noexcept;
    ~Value();
    Value(std::nullptr_t) noexcept;
    Value(std::nullopt_t) noexcept;
    Value(Tensor t);
    Value(bool b);
    template <class I>
    requires(std::is_integral_v<I> && !std::is_same_v<I, bool>) Value(I i) : Value(std::int64_t(i), IntegerTag()) {}
    Value(double d);
    Value(float d);
    Value(std::complex<double> c);
    Value(std::string s);
    Value(std::string_view s);
    Value(const char* s);
    Value(ScalarType t);
    Value(reel::Device d);
    Value(const Scalar& s);
    Value(ValueDict d);
    Value(const std::vector<Tensor>& tensors); ///< a list
    Value(const std::vector<std::int64_t>& ints);
    template <std::same_as<IntArrayRef> R> Value(R ints) : Value(ints.vec()) {} ///< sizes
    Value(const std::vector<double>& doubles);
    Value(std::vector<Value> list);
    template <class T> Value(const std::optional<T>& o) {
        if (o) *this = Value(*o);
    }
    template <class... T> Value(const std::tuple<T...>& t) {
        *this = std::apply([](const auto&... e) { return tuple({Value(e)...}); }, t);
    }
    static Value list(std::vector<Value> elements);
    static Value tuple(std::vector<Value> elements);
    /// Boxes any copyable user type; `get<T>()` unboxes.
    template <class T> static Value box(T object) {
        return Value(std::make_shared<const T>(std::move(object)), typeid(T));
    }

    Kind kind() const { return kind_; }
    const char* kind_name() const; ///< Python's name: `Tensor`, `int`, `list`, ...
    bool isNone() const { return kind() == Kind::None; }
    bool isTensor() const { return kind() == Kind::Tensor; }
    bool isBool() const { return kind() == Kind::Bool; }
    bool isInt() const { return kind() == Kind::Int; }
    bool isDouble() const { return kind() == Kind::Double; }
    bool isComplexDouble() const { return kind() == Kind::Complex; }
    bool isString() const { return kind() == Kind::String; }
    bool isDtype() const { return kind() == Kind::Dtype; }
    bool isDevice() const { return kind() == Kind::Device; }
    bool isList() const { return kind() == Kind::List; }
    bool isTuple() const { return kind() == Kind::Tuple; }
    bool isSequence() const { return isList() || isTuple(); }
    bool isGenericDict() const { return kind() == Kind::Dict; }
    bool isBoxed() const { return kind() == Kind::Boxed; }
    /// bool, int, double or complex.
    bool isScalar() const { return kind() >= Kind::Bool && kind() <= Kind::Complex; }
    bool isTensorList() const;

    // What lies inside of a value comes by reference from one that stays and by value from a temporary, so that
    // `for (const auto& [key, value] : optimizer.state_dict().toGenericDict())` is right.
    const Tensor& toTensor() const&;
    reel::Tensor toTensor() &&;
    bool toBool() const;
    std::int64_t toInt() const;
    double toDouble() const; ///< accepts int and bool too
    std::complex<double> toComplexDouble() const;
    Scalar toScalar() const;
    const std::string& toStringRef() const&;
    std::string toStringRef() &&;
    ScalarType toDtype() const;
    reel::Device toDevice() const;
    /// Elements of a list or tuple.
    const std::vector<Value>& elements() const&;
    std::vector<Value> elements() &&;
    std::vector<Value>& list_elements() const; ///< mutable, lists only
    ArrayRef<Value> toListRef() const { return elements(); }
    /// Handles with types (reel/autograd/list.hpp).
    Tuple toTuple() const;
    List<Value> toList() const;
    ValueDict& toGenericDict() const&; ///< the shared dict
    /// Const, since a change would be lost: name the value, and change the dict of that.
    const ValueDict toGenericDict() &&;
    std::vector<Tensor> toTensorVector() const;
    std::vector<std::int64_t> toIntVector() const;
    std::vector<double> toDoubleVector() const;
    template <class T> const T& get() const { return *get_box<T>(); }
    template <class T> const T* try_get() const {
        return isBoxed() && *plain_.type == typeid(T) ? static_cast<const T*>(box_.get()) : nullptr;
    }
    /// Conversion by type: `to<Tensor>()`, `to<double>()`, `to<std::vector<Tensor>>()`, ...
    template <class T> T to() const;
    template <class T> std::optional<T> toOptional() const {
        if (isNone()) return std::nullopt;
        return to<T>();
    }
    const char* tagKind() const { return kind_name(); }
    /// The C++ type that `to` gives the value as it is, for boxed objects theirs; `typeid(void)` for none.
    const std::type_info& type_info() const;
    /// Same object: the same tensor, list or dict, or equal plain values.
    bool is(const Value& o) const;
    /// A short text for messages: `Tensor[2, 3] float32`, `3`, `[1, 2]`.
    std::string repr() const;
    friend std::ostream& operator<<(std::ostream& os, const Value& v); ///< `repr`, a tensor in full

private:
    struct IntegerTag {};
    Value(std::int64_t i, IntegerTag);
    Value(std::shared_ptr<const void> object, const std::type_info& type);
    template <class T> const T* get_box() const {
        const T* p = try_get<T>();
        if (!p) throw_not_boxed(typeid(T));
        return p;
    }
    [[noreturn]] void throw_not_boxed(const std::type_info& wanted) const;
    [[noreturn]] void throw_kind(const char* wanted) const;
    friend class ValueDict;
    std::size_t hash() const; ///< equal for values that `is` takes for the same

    // A hand-made union: a std::variant of these took a twentieth of the umbrella's compile time.
    union Plain {
        bool boolean;
        std::int64_t integer;
        double number; ///< the real part of a complex number
        ScalarType dtype;
        reel::Device device;
        const std::type_info* type; ///< of a boxed object
        constexpr Plain() : integer(0) {}
    };
    Kind kind_ = Kind::None;
    Plain plain_;
    double imaginary_ = 0;
    Tensor tensor_;
    std::shared_ptr<const void> box_; ///< std::string, elements of a list or tuple, ValueDict, user object
};

template <class T> T Value::to() const {
    if constexpr (std::is_same_v<T, Tensor>) return toTensor();
    else if constexpr (std::is_same_v<T, Value>) return *this;
    else if constexpr (std::is_same_v<T, bool>) return toBool();
    else if constexpr (std::is_integral_v<T>) return T(toInt());
    else if constexpr (std::is_floating_point_v<T>) return T(toDouble());
    else if constexpr (std::is_same_v<T, std::string>) return toStringRef();
    else if constexpr (std::is_same_v<T, Scalar>) return toScalar();
    else if constexpr (std::is_same_v<T, ScalarType>) return toDtype();
    else if constexpr (std::is_same_v<T, reel::Device>) return toDevice();
    else if constexpr (std::is_same_v<T, std::complex<double>>) return toComplexDouble();
    else if constexpr (std::is_same_v<T, std::vector<Tensor>>) return toTensorVector();
    else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) return toIntVector();
    else if constexpr (std::is_same_v<T, std::vector<double>>) return toDoubleVector();
    else if constexpr (std::is_same_v<T, std::vector<Value>>) return elements();
    else if constexpr (std::is_same_v<T, ValueDict>) return toGenericDict();
    else if constexpr (requires(const Value& v) { T::from_value(v); }) return T::from_value(*this);
    else return get<T>();
}

using IValue = Value;

struct ValueDict::Item : std::pair<Value, Value> {
    using std::pair<Value, Value>::pair;
    const Value& key() const { return first; }
    const Value& value() const { return second; }
    Value& value() { return second; }
};

} // namespace reel
