// Named fields: how option structs and parameter states list their members once for copying, saving and Python names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include <reel/autograd/value.hpp>

namespace reel::optim {

/// An option that remembers whether it was set explicitly; unset ones are inherited from the optimizer's defaults.
template <class T> struct Option {
    T value{};
    bool given = false;
    Option() = default;
    Option(T v) : value(std::move(v)) {}
};

/// A count that state dicts hold as PyTorch does: a float32 tensor without dimensions.
struct StepCount {
    std::int64_t value = 0;
    StepCount() = default;
    StepCount(std::int64_t v) : value(v) {}
    operator std::int64_t() const { return value; }
    StepCount& operator++() { return ++value, *this; }
};
/// A number that state dicts hold as a tensor without dimensions, in float32 unless the default dtype is float64.
struct StepNumber {
    double value = 0;
    StepNumber() = default;
    StepNumber(double v); ///< rounds as it will be held
    operator double() const { return value; }
};
/// One number for all parameter groups or one each.
struct PerGroup {
    std::vector<double> values;
    PerGroup() = default;
    PerGroup(double v) : values{v} {}
    PerGroup(std::vector<double> v) : values(std::move(v)) {}
    /// Expanded to `n` groups; ValueError naming `what` when the count differs.
    std::vector<double> expand(std::size_t n, const char* what) const;
};

/// Conversion of one field type to and from values.
template <class T> struct FieldCodec {
    static Value get(const T& v) { return Value(v); }
    static void set(T& v, const Value& x) { v = x.to<T>(); }
};
template <class T> struct FieldCodec<std::optional<T>> {
    static Value get(const std::optional<T>& v) { return v ? FieldCodec<T>::get(*v) : Value(); }
    static void set(std::optional<T>& v, const Value& x) {
        if (x.isNone()) v.reset();
        else FieldCodec<T>::set(v.emplace(), x);
    }
};
template <class... E> struct FieldCodec<std::tuple<E...>> {
    static Value get(const std::tuple<E...>& v) {
        return std::apply([](const E&... e) { return Value::tuple({FieldCodec<E>::get(e)...}); }, v);
    }
    static void set(std::tuple<E...>& v, const Value& x) {
        REEL_CHECK_TYPE(x.isSequence() && x.elements().size() == sizeof...(E), "expected ", sizeof...(E),
                        " values, got ", x.repr());
        std::tuple<E...> fresh = v;
        std::apply([&, i = std::size_t(0)](E&... e) mutable { (FieldCodec<E>::set(e, x.elements()[i++]), ...); },
                   fresh);
        v = std::move(fresh);
    }
};
template <> struct FieldCodec<Tensor> {
    static Value get(const Tensor& v) { return v.defined() ? Value(v) : Value(); }
    static void set(Tensor& v, const Value& x) { v = x.isNone() ? Tensor() : x.toTensor(); }
};
template <> struct FieldCodec<StepCount> {
    static Value get(const StepCount& v);
    static void set(StepCount& v, const Value& x) { v.value = std::int64_t(x.toDouble()); }
};
template <> struct FieldCodec<StepNumber> {
    static Value get(const StepNumber& v);
    static void set(StepNumber& v, const Value& x) { v = x.toDouble(); }
};
template <> struct FieldCodec<PerGroup> {
    static Value get(const PerGroup& v) { return v.values.size() == 1 ? Value(v.values[0]) : Value(v.values); }
    static void set(PerGroup& v, const Value& x) {
        v.values = x.isSequence() ? x.toDoubleVector() : std::vector<double>{x.toDouble()};
    }
};
template <> struct FieldCodec<std::vector<Tensor>> {
    static Value get(const std::vector<Tensor>& v) { return Value(v); }
    static void set(std::vector<Tensor>& v, const Value& x) {
        v = x.toTensorVector();
        for (Tensor& t : v) t = copy_of(t);
    }
    static Tensor copy_of(const Tensor& t);
};
template <class T> struct FieldCodec<Option<T>> {
    static Value get(const Option<T>& v) { return FieldCodec<T>::get(v.value); }
    static void set(Option<T>& v, const Value& x) {
        FieldCodec<T>::set(v.value, x);
        v.given = true;
    }
};

/// One field, seen from outside.
struct FieldRef {
    const char* name;
    void* object;
    bool* given; ///< null for fields without an explicit mark
    bool required;
    Value (*get_fn)(const void*);
    void (*set_fn)(void*, const Value&);
    Value get() const { return get_fn(object); }
    void set(const Value& v) const { set_fn(object, v); }
};

/// Receives the fields of an object in Python's order.
class FieldVisitor {
public:
    template <class T> void operator()(const char* name, T& field) { visit(make(name, field, false)); }
    /// An argument without a default.
    template <class T> void required(const char* name, T& field) { visit(make(name, field, true)); }
    /// Arguments that follow cannot be given by position in Python.
    virtual void keyword_only() {}
    /// An entry that PyTorch's state dicts have and that nothing here depends on; accepted as an argument and ignored.
    virtual void constant(const char* name, const Value& value) { (void)name, (void)value; }

protected:
    ~FieldVisitor() = default;
    virtual void visit(const FieldRef& field) = 0;

private:
    template <class T> static FieldRef make(const char* name, T& field, bool required) {
        bool* given = nullptr;
        if constexpr (requires { field.given; }) given = &field.given;
        return {name,
                &field,
                given,
                required,
                [](const void* o) { return FieldCodec<T>::get(*static_cast<const T*>(o)); },
                [](void* o, const Value& v) { FieldCodec<T>::set(*static_cast<T*>(o), v); }};
    }
};

/// An object that lists its named fields once; copying in and out of dicts and Python's arguments follow from the list.
class Fields {
public:
    virtual ~Fields() = default;
    /// Shows every field to `v`, in the order of Python's arguments.
    virtual void fields(FieldVisitor& v) { (void)v; }

    /// One field by its Python name; KeyError when there is none.
    Value get(std::string_view name) const;
    void set(std::string_view name, const Value& value);
    bool has(std::string_view name) const;
    ValueDict to_dict() const;
    /// Sets what `dict` names; unknown names are ignored.
    void load_dict(const ValueDict& dict);
    /// Sets Python's arguments; TypeError for an unknown, missing or doubly given one. `what` is named in messages.
    void bind(const char* what, const Args& args, const Kwargs& kwargs);
    /// Equal classes with equal fields.
    bool equals(const Fields& o) const;
};

} // namespace reel::optim

/// Declares an option with a fluent setter that marks it as given, and a getter: `REEL_OPTION(double, lr) = 1e-3;`.
#define REEL_OPTION(T, name) REEL_OPTION_OF(std::remove_reference_t<decltype(*this)>, T, name)
/// The same in a base of options classes: the setter returns the class `Self` that derives from it.
#define REEL_OPTION_OF(Self, T, name)                                                                                  \
public:                                                                                                                \
    auto name(const T& new_##name)->Self& {                                                                            \
        this->name##_.value = new_##name;                                                                              \
        this->name##_.given = true;                                                                                    \
        return static_cast<Self&>(*this);                                                                              \
    }                                                                                                                  \
    const T& name() const noexcept { return this->name##_.value; }                                                     \
    T& name() noexcept { return this->name##_.value; }                                                                 \
                                                                                                                       \
private:                                                                                                               \
    ::reel::optim::Option<T> name##_

/// Declares a member of a parameter's state with libtorch's accessors: `REEL_STATE(Tensor, exp_avg);`.
#define REEL_STATE(T, name)                                                                                            \
public:                                                                                                                \
    const T& name() const noexcept { return this->name##_; }                                                           \
    T& name() noexcept { return this->name##_; }                                                                       \
    auto name(const T& new_##name)->decltype(*this) {                                                                  \
        this->name##_ = new_##name;                                                                                    \
        return *this;                                                                                                  \
    }                                                                                                                  \
                                                                                                                       \
private:                                                                                                               \
    T name##_
