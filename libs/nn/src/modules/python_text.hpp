// Printing options as Python does, and reading constructor arguments that may be one number or several.
#pragma once

#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include <reel/autograd/expanding_array.hpp>
#include <reel/nn/factory.hpp>
#include <reel/nn/modules/activation.hpp>

namespace reel::nn::text {

inline std::string boolean(bool b) { return b ? "True" : "False"; }
/// The shortest digits that read back as `v`, in Python's notation: 0.1, 1e-05, 1.0.
inline std::string number(double v) {
    if (std::isnan(v)) return "nan";
    if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
    char buffer[64];
    const double a = std::abs(v);
    const bool plain = v == 0 || (a >= 1e-4 && a < 1e16);
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, v,
                                   plain ? std::chars_format::fixed : std::chars_format::scientific)
                         .ptr;
    std::string s(buffer, end);
    if (plain && s.find('.') == std::string::npos) s += ".0";
    return s;
}
inline std::string number(std::int64_t v) { return std::to_string(v); }
/// Python's form of a constructor argument: integers stay integers.
inline std::string number(const Scalar& v) {
    return v.isFloatingPoint() ? number(v.toDouble()) : std::to_string(v.toLong());
}
inline std::string number(const Number& n) {
    return n.is_integral() ? std::to_string(std::int64_t(double(n))) : number(double(n));
}
/// A constructor argument that prints as it was given.
inline Number number(const ConstructorArgs& a, const char* name, double fallback) {
    if (!a.has(name)) return fallback;
    return a.at(name).isInt() ? Number(a.at(name).toInt()) : Number(a.at(name).toDouble());
}
inline std::string optional_number(const std::optional<double>& v) { return v ? number(*v) : "None"; }

template <class L> std::string tuple(const L& values) {
    std::string s = "(";
    std::size_t n = 0;
    for (const auto& v : values) s += (n++ ? ", " : "") + std::to_string(v);
    return s + (n == 1 ? ",)" : ")");
}
template <std::size_t D> std::string tuple(const ExpandingArray<D>& a) { return tuple(*a); }
/// One number if the argument was one.
template <std::size_t D> std::string as_given(const ExpandingArray<D>& a) {
    return a.is_single() ? std::to_string(a[0]) : tuple(*a);
}
template <std::size_t D> std::string as_given(const ExpandingArrayWithOptionalElem<D>& a) {
    const auto one = [](const std::optional<std::int64_t>& v) { return v ? std::to_string(*v) : std::string("None"); };
    if (a.is_single()) return one(a[0]);
    std::string s = "(";
    for (std::size_t i = 0; i < D; ++i) s += (i ? ", " : "") + one(a[i]);
    return s + (D == 1 ? ",)" : ")");
}

/// One number or `D` of them.
template <std::size_t D>
ExpandingArray<D> expanding(const ConstructorArgs& a, const char* name, std::int64_t fallback) {
    if (!a.has(name)) return fallback;
    const Value& v = a.at(name);
    if (!v.isSequence()) return v.toInt();
    return a.ints(name, D, fallback);
}
template <std::size_t D> ExpandingArray<D> expanding(const ConstructorArgs& a, const char* name) {
    if (!a.has(name)) a.at(name);
    return expanding<D>(a, name, 0);
}
template <std::size_t D>
ExpandingArrayWithOptionalElem<D> optional_expanding(const ConstructorArgs& a, const char* name) {
    const Value& v = a.at(name);
    if (!v.isSequence()) return ExpandingArrayWithOptionalElem<D>(v.toOptional<std::int64_t>());
    std::vector<std::optional<std::int64_t>> r;
    for (const Value& e : v.elements()) r.push_back(e.toOptional<std::int64_t>());
    return r;
}
/// Makes the module with the constructor argument `dtype` as default: parameters are drawn in it, not converted unless
/// it is complex.
template <class M, class... O> std::shared_ptr<M> built(const ConstructorArgs& a, O&&... options) {
    struct Restore {
        ScalarType before = get_default_dtype();
        ~Restore() { set_default_dtype(before); }
    } restore;
    const bool given = a.has("dtype"), complex = given && isComplexType(a.at("dtype").toDtype());
    if (given && !complex) set_default_dtype(a.at("dtype").toDtype());
    auto m = std::make_shared<M>(std::forward<O>(options)...);
    if (complex) // no default can be that
        m->convert([&](const Tensor& t) { return t.is_floating_point() ? t.to(a.at("dtype").toDtype()) : t; });
    return m;
}

} // namespace reel::nn::text
