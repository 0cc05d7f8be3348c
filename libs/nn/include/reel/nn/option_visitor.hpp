// A layer's options, listed once: constructor arguments by name, their defaults and the printed form follow.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <reel/autograd/enum.hpp>
#include <reel/autograd/expanding_array.hpp>
#include <reel/autograd/value.hpp>
#include <reel/nn/detail/option_text.hpp>
#include <reel/nn/number.hpp>

namespace reel::nn {

/// How an option stands in the printed form of its layer; they combine: `Shown::tuple | Shown::unless_default`.
enum class Shown : unsigned {
    named = 0,          ///< `bias=True`
    value = 1,          ///< `True`, without the name
    unless_default = 2, ///< nothing where it is the default
    tuple = 4,          ///< `(2, 2)` even when one number was given for all dimensions
    bare = 8,           ///< a text without its quotes
    never = 16,
};
constexpr Shown operator|(Shown a, Shown b) { return Shown(unsigned(a) | unsigned(b)); }
constexpr bool operator&(Shown a, Shown b) { return (unsigned(a) & unsigned(b)) != 0; }

/// Between an option of type T and Python: `read` takes a constructor argument, `text` prints. `read` throws TypeError
/// with what it expected and got, or ValueError with a text that continues "Layer: argument ". Specialize it for types
/// of your own. A codec may have `cpp_text` besides, the option in C++'s words (`Printing::libtorch`).
template <class T> struct OptionCodec;

#define REEL_OPTION_CODEC(...)                                                                                         \
    template <> struct OptionCodec<__VA_ARGS__> {                                                                      \
        static void read(__VA_ARGS__& option, const Value& v);                                                         \
        static std::string text(const __VA_ARGS__& option);                                                            \
        static std::string cpp_text(const __VA_ARGS__& option);                                                        \
    };
REEL_OPTION_CODEC(bool)
REEL_OPTION_CODEC(std::int64_t)
REEL_OPTION_CODEC(double)
REEL_OPTION_CODEC(Number)
REEL_OPTION_CODEC(std::string)
REEL_OPTION_CODEC(Tensor)
REEL_OPTION_CODEC(std::vector<std::int64_t>) // a number stands for a list of one
REEL_OPTION_CODEC(std::vector<double>)
#undef REEL_OPTION_CODEC

template <class T> struct OptionCodec<std::optional<T>> {
    static void read(std::optional<T>& option, const Value& v) {
        if (v.isNone()) return option.reset();
        T fresh = blank();
        OptionCodec<T>::read(fresh, v);
        option = std::move(fresh);
    }
    static std::string text(const std::optional<T>& option) { return option ? OptionCodec<T>::text(*option) : "None"; }
    static std::string cpp_text(const std::optional<T>& option) {
        return option ? detail::cpp_text_of(*option) : "None";
    }

private:
    static T blank() {
        if constexpr (std::is_default_constructible_v<T>) return T();
        else return T(0);
    }
};
template <class... Tags> struct OptionCodec<Choice<Tags...>> {
    static void read(Choice<Tags...>& option, const Value& v) {
        const std::string& name = v.toStringRef();
        if (!((detail::choice_text(Tags::text) == name ? (option = Tags(), true) : false) || ...))
            detail::throw_choice(name, {Tags::text...});
    }
    static std::string text(const Choice<Tags...>& option) { return "'" + detail::choice_text(option.name()) + "'"; }
    static std::string cpp_text(const Choice<Tags...>& option) { return option.name(); }
};
/// One value or one per dimension; prints as it was given.
template <std::size_t D, class T> struct OptionCodec<ExpandingArray<D, T>> {
    using Array = ExpandingArray<D, T>;
    static void read(Array& option, const Value& v) {
        T one = T();
        if (!v.isSequence()) {
            OptionCodec<T>::read(one, v);
            option = Array(one);
            return;
        }
        std::vector<T> all;
        for (const Value& e : v.elements()) {
            OptionCodec<T>::read(one, e);
            all.push_back(one);
        }
        if (all.size() == 1) all.resize(D, all[0]);
        if (all.size() != D) detail::throw_entries(all.size(), D);
        option = Array(all);
    }
    static std::string text(const Array& option) {
        return option.is_single() ? OptionCodec<T>::text(option[0]) : tuple(option);
    }
    static std::string tuple(const Array& option) {
        std::vector<std::string> entries;
        for (const T& e : *option) entries.push_back(OptionCodec<T>::text(e));
        return detail::tuple_text(entries);
    }
    static std::string cpp_text(const Array& option) {
        std::vector<std::string> entries;
        for (const T& e : *option) entries.push_back(detail::cpp_text_of(e));
        return D == 1 ? entries[0] : detail::cpp_list_text(entries);
    }
};
template <std::size_t D, class T> struct OptionCodec<ExpandingArrayWithOptionalElem<D, T>> {
    using Base = OptionCodec<ExpandingArray<D, std::optional<T>>>;
    static void read(ExpandingArrayWithOptionalElem<D, T>& option, const Value& v) { Base::read(option, v); }
    static std::string text(const ExpandingArrayWithOptionalElem<D, T>& option) { return Base::text(option); }
    static std::string cpp_text(const ExpandingArrayWithOptionalElem<D, T>& option) { return Base::cpp_text(option); }
};

/// One option, seen from outside.
struct OptionRef {
    const char* name;
    void* option;
    Shown shown;
    bool required, optional; ///< optional: none is a value of its own
    void (*read)(void* option, const Value& v);
    std::string (*text)(const void* option);
    std::string (*cpp_text)(const void* option);
};

/// Receives the options of a layer in the order of Python's constructor:
/// `void LinearOptions::fields(OptionVisitor& v) { v.required("in_features", in_features_); v("bias", bias_); }`.
class OptionVisitor {
public:
    template <class T> void operator()(const char* name, T& option, Shown shown = Shown::named) {
        visit(ref(name, option, shown, false));
    }
    /// An argument without a default.
    template <class T> void required(const char* name, T& option, Shown shown = Shown::named) {
        visit(ref(name, option, shown, true));
    }
    /// An argument that is not printed.
    template <class T> void hidden(const char* name, T& option) { visit(ref(name, option, Shown::never, false)); }
    /// An option that is what `leader` is unless it is given.
    template <class T> void following(const char* name, T& option, const T& leader, Shown shown = Shown::named) {
        if (binds()) option = leader;
        visit(ref(name, option, shown, false));
    }
    /// A part of the printed form that is no argument.
    template <class T> void printed(const char* name, const T& value, Shown shown = Shown::named) {
        print(ref(name, const_cast<T&>(value), shown, false));
    }
    /// An argument that is no option: what was given for it; null where nothing or None was, and when nothing is bound.
    virtual const Value* argument(const char* name) {
        (void)name;
        return nullptr;
    }
    /// Arguments that follow cannot be given by position.
    virtual void keyword_only() {}
    /// Where PyTorch's constructor has these two.
    void device_and_dtype() { argument("device"), argument("dtype"); }

protected:
    ~OptionVisitor() = default;
    virtual void visit(const OptionRef& option) = 0;
    virtual void print(const OptionRef& part) { (void)part; }
    virtual bool binds() const { return false; }

private:
    template <class T> static OptionRef ref(const char* name, T& option, Shown shown, bool required) {
        constexpr bool optional = requires { option.reset(), option.has_value(); };
        return {name,
                &option,
                shown,
                required,
                optional,
                [](void* o, const Value& v) { OptionCodec<T>::read(*static_cast<T*>(o), v); },
                text_of<T>(shown),
                [](const void* o) { return detail::cpp_text_of(*static_cast<const T*>(o)); }};
    }
    template <class T> static auto text_of(Shown shown) -> std::string (*)(const void*) {
        if constexpr (requires(const T& o) { OptionCodec<T>::tuple(o); })
            if (shown & Shown::tuple)
                return [](const void* o) { return OptionCodec<T>::tuple(*static_cast<const T*>(o)); };
        (void)shown;
        return [](const void* o) { return OptionCodec<T>::text(*static_cast<const T*>(o)); };
    }
};

} // namespace reel::nn
