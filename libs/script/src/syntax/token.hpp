// The words of the source language.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace reel::jit::syntax {

enum class TokenKind { End, Newline, Indent, Dedent, Identifier, Number, String, TypeComment, Keyword, Operator, Bad };

/// A word and where it stands: bytes [begin, end) of the text.
struct Token {
    TokenKind kind = TokenKind::End;
    std::size_t begin = 0, end = 0;
    std::string_view text; ///< into the text; of a Bad token the complaint (a literal)

    bool is(TokenKind k) const { return kind == k; }
    /// A keyword or an operator, by its spelling.
    bool is(std::string_view spelling) const {
        return (kind == TokenKind::Keyword || kind == TokenKind::Operator) && text == spelling;
    }
};

/// How messages name a token: `'+'`, `'newline'`, `'ident'`.
std::string describe(const Token& token);

} // namespace reel::jit::syntax
