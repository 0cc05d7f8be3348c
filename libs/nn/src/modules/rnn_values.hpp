// Calling recurrent layers through values: a tensor or a packed sequence, and the state or states to start from.
#pragma once

#include <reel/nn/modules/rnn.hpp>

#include "modules/bound_arguments.hpp"

namespace reel::nn::detail {

/// `forward(input, hx=None)` of Python.
template <class M> Value call_with_state(M& m, const Args& given, const Kwargs& kwargs) {
    using utils::rnn::PackedSequence;
    const BoundArguments<M, 1, 2> a(m, given, kwargs);
    const auto state = [&] {
        if constexpr (requires { typename M::States; }) return a.template get<std::optional<typename M::States>>(1);
        else return a.template get<Tensor>(1);
    };
    if constexpr (requires(const PackedSequence& s) { m.forward_with_packed_input(s); })
        if (const auto* packed = a[0].template try_get<PackedSequence>())
            return pack(m.forward_with_packed_input(*packed, state()));
    return pack(m.forward(a.template get<Tensor>(0), state()));
}

} // namespace reel::nn::detail
