// One call of one module hook, of which observers hear.
#pragma once

#include <reel/autograd/detail/notify_observers.hpp>

#include "module/leaves.hpp"

namespace reel::nn::detail {

/// Did a hook return something?
inline bool is_given(const Value& returned) { return !returned.isNone(); }
inline bool is_given(const std::optional<variable_list>& returned) { return returned.has_value(); }

/// What observers are told of what a module hook returned: nullopt for nothing, else the tensors in it.
struct ShowReturned {
    std::optional<variable_list> operator()(const Value& returned) const {
        return is_given(returned) ? std::optional(tensors_of(returned)) : std::nullopt;
    }
    const std::optional<variable_list>& operator()(const std::optional<variable_list>& returned) const {
        return returned;
    }
};

/// `autograd::impl::fire` for hooks over values as well as over tensors.
template <class See, class Call, class Show = ShowReturned>
std::invoke_result_t<Call&> fire(const autograd::HookRef& hook, See see, Call call, Show show = {}) {
    return autograd::impl::fire(hook, std::move(see), std::move(call), show);
}

} // namespace reel::nn::detail
