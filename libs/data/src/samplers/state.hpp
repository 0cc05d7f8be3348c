// What samplers write and read back.
#pragma once

#include <algorithm>
#include <optional>

#include <reel/autograd/generator.hpp>
#include <reel/autograd/value.hpp>

namespace reel::data::samplers {

/// A number of elements. Errors: KeyError, TypeError, ValueError naming the sampler and the key.
std::size_t count_in(const Value& state, const char* sampler, const char* key);
/// A list of indices, as int32 or int64.
Tensor indices_in(const Value& state, const char* sampler, const char* key);
/// The generator's state, where the sampler has a generator of its own.
void put_generator(ValueDict& state, const std::optional<Generator>& generator);
/// Restores it where both have one.
void get_generator(const Value& state, const char* sampler, const std::optional<Generator>& generator);

/// At most `n` elements of a one-dimensional integer tensor, from `index` on, which moves behind them.
std::optional<std::vector<std::size_t>> take_indices(const Tensor& indices, std::size_t& index, std::size_t n);

} // namespace reel::data::samplers
