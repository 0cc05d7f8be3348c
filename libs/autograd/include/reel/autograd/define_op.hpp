// Ops of a program: a schema and a function become an op that is called by name as Reel's own are.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <reel/autograd/detail/op_arguments.hpp>
#include <reel/autograd/op.hpp>

namespace reel::ops {

/// An op that a program defined: the function itself, and the op that it is by name.
template <class F> class DefinedOp {
public:
    DefinedOp(const Op& op, F fn) : op_(&op), fn_(std::move(fn)) {}
    template <class... A> decltype(auto) operator()(A&&... args) const { return fn_(std::forward<A>(args)...); }
    const Op& op() const { return *op_; }
    const std::string& name() const { return op_->name; }

private:
    const Op* op_;
    F fn_;
};

/// Makes `fn` an op of this process: bound by position and name, with the schema's defaults, found by
/// `ops::registry().at("my.swish")`, with errors that name op and argument.
///
///     const auto swish = ops::def("my.swish(Tensor x, Tensor beta=1) -> Tensor",
///                                 [](const Tensor& x, const Tensor& beta) { return x * sigmoid(x * beta); });
///     Tensor y = swish(x, beta);
///     Value z = ops::registry().at("my.swish").call({x}, {{"beta", beta}});
///
/// `schema`: `prefix.name(type argument=default, ..., *, type keyword_only) -> type`, with the types of Reel's own
/// schemas: `Tensor`, `Tensor?`, `Tensor[]`, `int`, `int[]`, `float`, `float[]`, `bool`, `str`, `Scalar`, `Dtype`,
/// `Device`, and the optional ones with a question mark. `fn`: a function, or a lambda without `auto` parameters; its
/// gradient is that of what it calls. To be called before other threads call ops by name: at the start of `main`, or
/// for a variable of namespace scope.
///
/// Errors: ValueError for a text that is no schema (what was expected, and where), TypeError for a function whose
/// parameters are not the schema's arguments, KeyError for a name without prefix and for one that an op has already.
template <class F> DefinedOp<std::decay_t<F>> def(std::string_view schema, F&& fn) {
    using Function = std::decay_t<F>;
    static_assert(detail::HasOneSignature<Function>,
                  "ops::def takes a function with one signature: no `auto` parameters, no overloads");
    using Signature = detail::SignatureOf<Function>;
    using Arguments = typename Signature::Arguments;
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        static_assert(((detail::schema_type<std::tuple_element_t<I, Arguments>>() != nullptr) && ...),
                      "ops::def: a parameter of the function has a type that no schema has");
        static constexpr const char* types[] = {detail::schema_type<std::tuple_element_t<I, Arguments>>()..., nullptr};
        const Op& op = detail::define(schema, {types, sizeof...(I)}, [fn](std::span<const Value> v) mutable -> Value {
            (void)v;
            if constexpr (std::is_void_v<typename Signature::Result>)
                return fn(detail::bound_argument<std::tuple_element_t<I, Arguments>>(v[I])...), Value();
            else return Value(fn(detail::bound_argument<std::tuple_element_t<I, Arguments>>(v[I])...));
        });
        return DefinedOp<Function>(op, std::forward<F>(fn));
    }
    (std::make_index_sequence<std::tuple_size_v<Arguments>>());
}

} // namespace reel::ops
