// Words to a tree.
#pragma once

#include <memory>

#include "tree.hpp"

namespace reel::jit::syntax {

/// Levels of brackets, operators and blocks that a text may nest; what is deeper is refused before it is read.
inline constexpr std::size_t nesting_limit = 200;
/// Operands that a chain without brackets (`a + b + ...`, `x.f().g()`) may have.
inline constexpr std::size_t chain_limit = 1000;

/// Definitions of functions and, if `classes` says so, of classes. Throws ScriptError pointing at the first word that
/// does not fit.
File parse_file(std::shared_ptr<const Source> source, bool classes);

/// One expression, and nothing behind it.
ExprPtr parse_expression(std::shared_ptr<const Source> source);

} // namespace reel::jit::syntax
