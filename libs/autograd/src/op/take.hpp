// How typed calls reach whoever takes calls (reel/autograd/op_calls.hpp): what the functions that callers link to test,
// and what they do then. Nothing here is run otherwise, so it is small rather than fast.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include <reel/autograd/op_calls.hpp>
#include <reel/autograd/random.hpp>

#include "tensor/taken_calls.hpp"

namespace reel::ops {

/// Hands a call to the innermost mode, which runs outside of its scope.
Value give_to_mode(const OpCall& call);

/// The call of the schema `text` with what its C++ function was given; `outs` of them come first, for OpForm::Out.
Value take_typed(const char* text, OpForm form, std::size_t outs, std::span<Value> given);

/// Stands for an argument that C++ functions do not have: it is at its default.
struct ByDefault {};

namespace taken {
inline Value value(ByDefault d) { return Value::box(d); }
inline Value value(const Tensor& t) { return Value(t); }
inline Value value(const Value& v) { return v; }
inline Value value(bool b) { return Value(b); }
inline Value value(std::int64_t i) { return Value(i); }
inline Value value(double d) { return Value(d); }
inline Value value(const Scalar& s) { return Value(s); }
inline Value value(std::string_view s) { return Value(s); }
inline Value value(ScalarType t) { return Value(t); }
inline Value value(Device d) { return Value(d); }
Value value(TensorList list);
Value value(IntArrayRef list);
Value value(ArrayRef<double> list);
Value value(const OptionalIntArrayRef& list);
Value value(MemoryFormat format);
Value value(const TensorOptions& options);
Value value(const Generator& generator);
template <class T> Value value(const std::optional<T>& o) { return o ? value(*o) : Value(); }

template <class R> struct Result {
    static R of(const Value& v) { return v.to<R>(); }
};
template <class... R> struct Result<std::tuple<R...>> {
    static std::tuple<R...> of(const Value& v) {
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return std::tuple<R...>(Result<R>::of(v.elements().at(I))...);
        }
        (std::index_sequence_for<R...>());
    }
};
/// How many tensors a form writes into: as many as it returns, or all of the one list.
template <class R> constexpr std::size_t written = 1;
template <class... R> constexpr std::size_t written<std::tuple<R...>> = sizeof...(R);

/// The first arguments, as the forms return them that write into these.
template <class R, class... A> R written_ones(const A&... args) {
    const std::tuple<const A&...> all(args...);
    return [&]<std::size_t... I>(std::index_sequence<I...>)->R {
        if constexpr (std::is_void_v<R>) return;
        else if constexpr (std::is_same_v<R, Tensor&>) return const_cast<Tensor&>(std::get<0>(all));
        else return R(const_cast<Tensor&>(std::get<I>(all))...);
    }
    (std::make_index_sequence<written<R>>());
}
template <class R> constexpr bool writes = std::is_void_v<R> || std::is_same_v<R, Tensor&>;
template <class... R> constexpr bool writes<std::tuple<R&...>> = true;
} // namespace taken

/// What the function of the schema `text` returns when its call was taken.
template <class R, class... A> [[gnu::cold, gnu::noinline]] R take(const char* text, OpForm form, A... args) {
    Value given[] = {taken::value(args)..., Value()};
    const std::size_t outs = form == OpForm::Out ? taken::written<R> : 0;
    const Value result = take_typed(text, form, outs, std::span<Value>(given, sizeof...(A)));
    if constexpr (taken::writes<R>) return taken::written_ones<R>(args...);
    else return taken::Result<R>::of(result);
}

} // namespace reel::ops
