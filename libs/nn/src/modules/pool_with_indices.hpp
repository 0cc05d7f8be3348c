// Maximum pooling as Python makes it: with `return_indices` a call gives values and places.
#pragma once

#include <reel/nn/factory.hpp>

#include "modules/bound_arguments.hpp"
#include "modules/called_as.hpp"

namespace reel::nn::detail {

struct WithIndices {
    template <class M> Value operator()(M& m, const Args& args, const Kwargs& kwargs) const {
        const BoundArguments<M, 1, 1> a(m, args, kwargs);
        return Value(m.forward_with_indices(a.template get<Tensor>(0)));
    }
};
/// For `register_layers_by`.
struct MakePool {
    template <class M> ModulePtr operator()(const std::string& name, const Args& args, const Kwargs& kwargs) const {
        const BoundOptions<decltype(M::options)> bound(name, args, kwargs);
        if (!bound.arguments.template get<bool>("return_indices", false)) return std::make_shared<M>(bound.options);
        return std::make_shared<CalledAs<M, WithIndices>>(bound.options);
    }
};

} // namespace reel::nn::detail
