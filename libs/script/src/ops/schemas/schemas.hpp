// The schemas of the operators that scripts may name, as texts, by family.
#pragma once

#include <string_view>

namespace reel::jit::schemas {

extern const std::string_view activation, backward, comparison, containers, convert, devices, factory, foreach, index,
    internal, layouts, linalg, loss, nn, pointwise, pointwise_in_place, prim, quantized, random, reduce, scalars, shape,
    special, spectral, tensors, trigonometric;

inline const std::string_view* const all[] = {
    &activation, &backward,     &comparison, &containers, &convert, &devices, &factory,   &foreach,
    &index,      &internal,     &layouts,    &linalg,     &loss,    &nn,      &pointwise, &pointwise_in_place,
    &prim,       &quantized,    &random,     &reduce,     &scalars, &shape,   &special,   &spectral,
    &tensors,    &trigonometric};

} // namespace reel::jit::schemas
