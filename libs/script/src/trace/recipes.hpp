// Recipes by groups: what functions of several operators call (rule SC-78), and what their arguments have in common.
#pragma once

#include <span>
#include <string_view>

#include "trace/tracer.hpp"

namespace reel::jit::trace_impl {

/// The arguments of a recipe are those of Reel's schema, in its order.
struct FunctionLine {
    std::string_view name;
    FunctionRecipe recipe;
};
std::span<const FunctionLine> activation_functions();
std::span<const FunctionLine> window_functions(); ///< convolutions, pools, patches, padding
std::span<const FunctionLine> sampling_functions();
std::span<const FunctionLine> norm_functions();
std::span<const FunctionLine> loss_functions();
std::span<const FunctionLine> tensor_functions();

/// Groups of layers; the others stand in layers.cpp.
std::span<const Layer> recurrent_layers();
std::span<const Layer> attention_layers();
/// Masks of booleans as the numbers that attention adds (those of numbers as they are), which the function's variable
/// `name` then holds.
IValue additive_mask(Tracer& t, const char* name, const IValue& mask, ScalarType type);

/// Scales the rows of `weight` that `input` names, as embeddings with `max_norm` do first.
void renormalise(Tracer& t, const IValue& weight, const IValue& input, const IValue& max_norm, const IValue& norm_type);

/// The i-th of a layer's arguments; None where it is not given.
IValue argument(const Args& a, std::size_t i);
bool flag(const Args& a, std::size_t i, bool otherwise);

IValue list(Args elements);
IValue optional(const Tensor& t);
IValue repeated(std::size_t n, std::int64_t value);
/// `n` numbers of one or n.
IValue expanded(const IValue& v, std::size_t n);
IValue or_empty(const IValue& v, std::size_t n);
/// `name_[n-1]` of the three operators that differ by their number of dimensions.
template <std::size_t D> constexpr const char* of_rank(const char* one, const char* two, const char* three) {
    return D == 1 ? one : D == 2 ? two : three;
}

} // namespace reel::jit::trace_impl
