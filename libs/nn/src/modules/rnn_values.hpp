// Calling recurrent layers through values: a tensor or a packed sequence, and the state or states to start from.
#pragma once

#include <reel/nn/factory.hpp>
#include <reel/nn/modules/rnn.hpp>

namespace reel::nn::detail {

inline Tensor state_of(const char* name, const Value& v) {
    if (v.isNone()) return {};
    REEL_CHECK_TYPE(v.isTensor(), name, ": hx is ", v.repr(), "; expected a tensor");
    return v.toTensor();
}
inline std::optional<std::tuple<Tensor, Tensor>> states_of(const char* name, const Value& v) {
    if (v.isNone()) return std::nullopt;
    REEL_CHECK_TYPE(v.isSequence() && v.elements().size() == 2, name, ": hx is ", v.repr(),
                    "; expected two tensors, h and c");
    return std::tuple(v.elements()[0].toTensor(), v.elements()[1].toTensor());
}
/// `forward(input, hx=None)` of Python.
template <class M> Value call_with_state(M& m, const char* name, const Args& args, const Kwargs& kwargs) {
    using utils::rnn::PackedSequence;
    const ConstructorArgs a(name, {"input", "hx"}, args, kwargs);
    const Value& input = a.at("input");
    const auto state = [&] {
        const Value given = a.has("hx") ? a.at("hx") : Value();
        if constexpr (requires { typename M::States; }) return states_of(name, given);
        else return state_of(name, given);
    };
    if constexpr (requires(const PackedSequence& p) { m.forward_with_packed_input(p); })
        if (const auto* packed = input.try_get<PackedSequence>()) {
            const auto [output, last] = m.forward_with_packed_input(*packed, state());
            return Value::tuple({Value::box(output), detail::pack(last)});
        }
    REEL_CHECK_TYPE(input.isTensor(), name, ": input is ", input.repr(), "; expected a tensor");
    return detail::pack(m.forward(input.toTensor(), state()));
}

} // namespace reel::nn::detail
