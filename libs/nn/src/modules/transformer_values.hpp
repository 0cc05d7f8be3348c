// What the transformer classes share: reading keyword arguments of a constructor.
#pragma once

#include <reel/nn/modules/transformer_layer.hpp>

#include "modules/python_text.hpp"

namespace reel::nn::detail {

/// The constructor arguments that layers and the whole transformer have in common, into the options of either.
template <class Options> void read_layer_options(const ConstructorArgs& a, Options& o) {
    o.dim_feedforward(a.get<std::int64_t>("dim_feedforward", 2048))
        .dropout(a.get<double>("dropout", 0.1))
        .layer_norm_eps(a.get<double>("layer_norm_eps", 1e-5))
        .batch_first(a.get<bool>("batch_first", false))
        .norm_first(a.get<bool>("norm_first", false))
        .bias(a.get<bool>("bias", true));
    if (!a.has("activation")) return;
    const Value& v = a.at("activation");
    if (const ModulePtr* module = v.try_get<ModulePtr>()) o.activation(activation_t(*module));
    else if (const auto* function = v.try_get<activation_t::Function>()) o.activation(activation_t(*function));
    else {
        const std::string& name = v.toStringRef();
        REEL_CHECK(name == "relu" || name == "gelu", "activation is '", name,
                   "'; expected 'relu', 'gelu', a function or a module");
        o.activation(name == "relu" ? activation_t(kReLU) : activation_t(kGELU));
    }
}

} // namespace reel::nn::detail
