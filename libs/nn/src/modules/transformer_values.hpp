// What the transformer classes share: their options that are not numbers, between C++ and Python.
#pragma once

#include <reel/nn/factory.hpp>
#include <reel/nn/modules/transformer_layer.hpp>

namespace reel::nn {

/// 'relu', 'gelu', a function or a module.
template <> struct OptionCodec<activation_t> {
    static void read(activation_t& option, const Value& v) {
        if (const ModulePtr* module = v.try_get<ModulePtr>()) option = activation_t(*module);
        else if (const auto* function = v.try_get<activation_t::Function>()) option = activation_t(*function);
        else {
            const std::string& name = v.toStringRef();
            REEL_CHECK(name == "relu" || name == "gelu", "activation is '", name,
                       "'; expected 'relu', 'gelu', a function or a module");
            option = name == "relu" ? activation_t(kReLU) : activation_t(kGELU);
        }
    }
    static std::string text(const activation_t&) { return "..."; }
};

} // namespace reel::nn
