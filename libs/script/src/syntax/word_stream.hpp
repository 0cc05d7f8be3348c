// The words of a text, one after the other, for the parsers.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include <reel/script/source.hpp>

#include "token.hpp"

namespace reel::jit::syntax {

class WordStream {
public:
    explicit WordStream(std::shared_ptr<const Source> source);

    const std::shared_ptr<const Source>& source() const { return source_; }
    const Token& now() const { return tokens_[at_]; }
    const Token& ahead() const { return tokens_[at_ + 1 < tokens_.size() ? at_ + 1 : at_]; }
    std::size_t previous_end() const { return at_ ? tokens_[at_ - 1].end : 0; }
    Token take();
    bool take_if(std::string_view spelling);
    bool take_if(TokenKind kind);
    Token expect(std::string_view spelling);
    Token expect(TokenKind kind, std::string_view name);
    /// `expected NAME but found 'word' here`.
    [[noreturn]] void refuse(std::string_view expected) const;
    [[noreturn]] void fail(std::size_t begin, std::size_t end, const std::string& message) const;

    /// Counts a level of nesting while it lives.
    class Level {
    public:
        explicit Level(WordStream& words);
        ~Level() { --words_.level_; }
        Level(const Level&) = delete;

    private:
        WordStream& words_;
    };

private:
    std::shared_ptr<const Source> source_;
    std::vector<Token> tokens_;
    std::size_t at_ = 0, level_ = 0;
};

} // namespace reel::jit::syntax
