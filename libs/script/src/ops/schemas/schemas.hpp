// The schemas of the operators that scripts may name, as texts, by family.
#pragma once

#include <string_view>

namespace reel::jit::schemas {

extern const std::string_view backward, containers, convert, devices, factory, foreach, index, internal, layouts,
    linalg, loss, nn, pointwise, pointwise_in_place, prim, quantized, random, reduce, scalars, shape, special, spectral,
    tensors;

inline const std::string_view* const all[] = {
    &backward, &containers, &convert, &devices, &factory, &foreach,   &index,
    &internal, &layouts,    &linalg,  &loss,    &nn,      &pointwise, &pointwise_in_place,
    &prim,     &quantized,  &random,  &reduce,  &scalars, &shape,     &special,
    &spectral, &tensors};

} // namespace reel::jit::schemas
