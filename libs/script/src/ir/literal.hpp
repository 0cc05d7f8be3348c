// Constants as graphs spell them (rule SC-63).
#pragma once

#include <string>

#include <reel/script/function.hpp>

#include "../types/text_reader.hpp"

namespace reel::jit {

/// The value of an attribute; a constant's `bool` is 1 or 0 there.
std::string literal(const IValue& value, bool inside_tuple = false);
/// The number of a tensor; a complex one may be the pair `(0,-inf)`, as the reference writes it.
IValue read_element(TextReader& reader);
/// Reads a literal back as a value of the type.
IValue read_literal(TextReader& reader, const Type& type);

} // namespace reel::jit
