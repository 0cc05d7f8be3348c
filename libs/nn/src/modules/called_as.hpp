// Layers whose Python constructor says how they are called: they stay the layer in print, in copies and in archives.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <reel/autograd/detail/private_generator.hpp>
#include <reel/nn/type_name.hpp>

namespace reel::nn::detail {

/// An `M` that answers a call by values with `Call{}(m, args, kwargs)` and prints `Call::extra_repr`, if it has one, in
/// the place of its options.
template <class M, class Call> class CalledAs final : public M {
public:
    using M::M;
    std::string repr_name() const override { return type_name(typeid(M)); }
    std::string extra_repr() const override {
        if constexpr (requires { Call::extra_repr; }) return Call::extra_repr;
        else return M::extra_repr();
    }
    ModulePtr clone(std::optional<Device> device, bool keep_hooks) const override {
        const PrivateGenerator draws; // the copy's own parameters are overwritten
        auto copy = std::make_shared<CalledAs>(this->options);
        copy->copy_from(*this, device, keep_hooks);
        return copy;
    }
    Value forward_values(const Args& args, const Kwargs& kwargs) override { return Call{}(*this, args, kwargs); }
};

} // namespace reel::nn::detail
