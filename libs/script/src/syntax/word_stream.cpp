#include "word_stream.hpp"

#include "lexer.hpp"
#include "parser.hpp"

namespace reel::jit::syntax {

WordStream::WordStream(std::shared_ptr<const Source> source)
    : source_(std::move(source)), tokens_(tokenize(source_->text)) {}

Token WordStream::take() {
    const Token token = now();
    if (token.is(TokenKind::Bad)) fail(token.begin, token.end, std::string(token.text));
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
}

bool WordStream::take_if(std::string_view spelling) {
    if (!now().is(spelling)) return false;
    take();
    return true;
}

bool WordStream::take_if(TokenKind kind) {
    if (!now().is(kind)) return false;
    take();
    return true;
}

Token WordStream::expect(std::string_view spelling) {
    if (!now().is(spelling)) refuse(spelling);
    return take();
}

Token WordStream::expect(TokenKind kind, std::string_view name) {
    if (!now().is(kind)) refuse(name);
    return take();
}

void WordStream::refuse(std::string_view expected) const {
    const Token& word = now();
    if (word.is(TokenKind::Bad)) fail(word.begin, word.end, std::string(word.text));
    // What is missing before a line's end is missed behind it, as the reference counts.
    const std::size_t begin = word.is(TokenKind::Newline) ? word.end : word.begin;
    fail(begin, word.end, "expected " + std::string(expected) + " but found " + describe(word) + " here");
}

void WordStream::fail(std::size_t begin, std::size_t end, const std::string& message) const {
    throw ScriptError(message, {source_, begin, end});
}

WordStream::Level::Level(WordStream& words) : words_(words) {
    if (++words_.level_ <= nesting_limit) return;
    --words_.level_;
    const Token& word = words_.now();
    words_.fail(word.begin, word.end,
                "nested more than " + std::to_string(nesting_limit) + " levels deep; write it in smaller steps");
}

} // namespace reel::jit::syntax
