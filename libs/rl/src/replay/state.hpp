// What the parts of a replay buffer write and read back.
#pragma once

#include <string>

#include <reel/autograd/value.hpp>
#include <reel/rl/tensordict.hpp>

namespace reel::rl::replay {

/// Entries of a saved state. Errors, naming `owner` and the key: KeyError, TypeError, ValueError.
const Value& entry(const Value& state, const char* owner, const char* key);
std::int64_t count_in(const Value& state, const char* owner, const char* key, std::int64_t most);
double number_in(const Value& state, const char* owner, const char* key);
bool flag_in(const Value& state, const char* owner, const char* key);
/// One-dimensional, of `dtype`.
Tensor vector_in(const Value& state, const char* owner, const char* key, ScalarType dtype);

/// A dictionary of tensors as a value, the first `rows` of its batch alone; nested ones keep their batch sizes.
Value value_of(const TensorDict& dict, std::int64_t rows, bool copies);
/// The other way. Errors: as above, and those of `TensorDict`.
TensorDict dict_in(const Value& state, const char* owner);

} // namespace reel::rl::replay
