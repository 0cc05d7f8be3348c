// The C++ calls that the build derives from the schemas (tools/opgen/typed_calls.py).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <reel/autograd/value.hpp>

namespace properties {

using namespace reel;

/// One C++ call of one schema.
struct TypedCall {
    std::string schema;           ///< its text
    const char* form;             ///< `method`, `namespace`, or `defaults`: only what must be given
    std::vector<int> at_defaults; ///< places of arguments that the call does not hand over
    Value (*call)(std::span<const Value> bound);
};
/// The calls of every schema (generated).
std::vector<TypedCall> typed_calls();
/// File and line where the block of the schema of this text stands (generated).
std::string_view place_of(std::string_view schema);

} // namespace properties
