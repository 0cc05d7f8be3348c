// Text to words, with the indentation of lines as words of its own.
#pragma once

#include <string_view>
#include <vector>

#include "token.hpp"

namespace reel::jit::syntax {

/// All words of a text; the last is End. A byte that begins no word becomes a Bad token and ends the list before its
/// time: it is an error when the parser comes to it, so that of two errors the earlier one is told.
std::vector<Token> tokenize(std::string_view text);

} // namespace reel::jit::syntax
