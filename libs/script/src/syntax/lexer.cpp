#include "lexer.hpp"

#include <algorithm>
#include <array>

namespace reel::jit::syntax {

namespace {

constexpr std::array keywords = {"def", "class", "if",     "elif",     "else",   "for",  "in",    "while", "with",
                                 "as",  "pass",  "return", "raise",    "assert", "del",  "and",   "or",    "not",
                                 "is",  "break", "global", "continue", "import", "True", "False", "None"};
/// Longer spellings first: the first that fits is the word.
constexpr std::array operators = {"...", "**=", "<<=", ">>=", "->", "**", "//", "<<", ">>", "<=", ">=",
                                  "==",  "!=",  "+=",  "-=",  "*=", "/=", "%=", "|=", "&=", "^=", "+",
                                  "-",   "*",   "/",   "%",   "@",  "<",  ">",  "=",  "(",  ")",  "[",
                                  "]",   "{",   "}",   ",",   ":",  ".",  "|",  "&",  "^",  "~",  "?"};
constexpr std::string_view type_comment = "# type:";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

class Lexer {
public:
    explicit Lexer(std::string_view text) : text_(text) {}

    std::vector<Token> run() {
        begin_line();
        while (!bad_ && at_ < text_.size()) word();
        if (bad_) return std::move(tokens_);
        if (!tokens_.empty() && !tokens_.back().is(TokenKind::Newline) && !tokens_.back().is(TokenKind::Dedent))
            add(TokenKind::Newline, at_, at_);
        for (; levels_.size() > 1; levels_.pop_back()) add(TokenKind::Dedent, at_, at_);
        add(TokenKind::End, at_, at_);
        return std::move(tokens_);
    }

private:
    char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
    void add(TokenKind kind, std::size_t begin, std::size_t end) {
        tokens_.push_back({kind, begin, end, text_.substr(begin, end - begin)});
    }
    void bad(std::size_t begin, std::size_t end, std::string_view complaint) {
        tokens_.push_back({TokenKind::Bad, begin, end, complaint});
        bad_ = true;
    }
    bool at_type_comment() const {
        if (!text_.substr(at_).starts_with(type_comment)) return false;
        auto rest = text_.substr(at_ + type_comment.size());
        rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
        return !rest.starts_with("ignore");
    }
    void skip_comment() { at_ = std::min(text_.find('\n', at_), text_.size()); }

    /// Behind a line's end: blank lines and comments are skipped, then the indentation is compared.
    void begin_line() {
        while (true) {
            const std::size_t begin = at_;
            while (peek() == ' ' || peek() == '\t' || peek() == '\r' || peek() == '\f') ++at_;
            if (peek() == '#' && !at_type_comment()) skip_comment();
            if (at_ >= text_.size()) return;
            if (peek() == '\n') {
                ++at_;
                continue;
            }
            return indentation(at_ - begin);
        }
    }
    void indentation(std::size_t width) {
        if (tokens_.empty()) levels_ = {width}; // the first line says where the text's margin is
        if (width > levels_.back()) {
            levels_.push_back(width);
            add(TokenKind::Indent, at_ - width, at_);
            return;
        }
        for (; levels_.size() > 1 && width < levels_.back(); levels_.pop_back()) add(TokenKind::Dedent, at_, at_);
        if (width != levels_.back()) bad(at_, at_ + 1, "invalid indent level");
    }

    void word() {
        const char c = peek();
        if (c == ' ' || c == '\t' || c == '\r' || c == '\f') ++at_;
        else if (c == '\\' && (peek(1) == '\n' || (peek(1) == '\r' && peek(2) == '\n'))) at_ += peek(1) == '\n' ? 2 : 3;
        else if (c == '\n') newline();
        else if (c == '#') comment();
        else if (starts_name(c)) name();
        else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) number();
        else if (c == '\'' || c == '"') string(c);
        else punctuation();
    }
    void newline() {
        if (open_brackets_ > 0) {
            ++at_;
            return;
        }
        add(TokenKind::Newline, at_, at_ + 1);
        ++at_;
        begin_line();
    }
    void comment() {
        if (at_type_comment()) {
            add(TokenKind::TypeComment, at_, at_ + type_comment.size());
            at_ += type_comment.size();
        } else skip_comment();
    }
    void name() {
        const std::size_t begin = at_;
        while (starts_name(peek()) || is_digit(peek())) ++at_;
        const auto text = text_.substr(begin, at_ - begin);
        add(std::ranges::find(keywords, text) != keywords.end() ? TokenKind::Keyword : TokenKind::Identifier, begin,
            at_);
    }
    void number() {
        const std::size_t begin = at_;
        if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X') && is_hex(peek(2))) {
            for (at_ += 2; is_hex(peek()); ++at_) {
            }
            return add(TokenKind::Number, begin, at_);
        }
        while (is_digit(peek())) ++at_;
        if (peek() == '.') ++at_;
        while (is_digit(peek())) ++at_;
        const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
        if ((peek() == 'e' || peek() == 'E') && is_digit(peek(1 + sign)))
            for (at_ += 1 + sign; is_digit(peek()); ++at_) {
            }
        if (peek() == 'j') ++at_;
        add(TokenKind::Number, begin, at_);
    }
    void string(char quote) {
        const std::size_t begin = at_;
        const bool triple = peek(1) == quote && peek(2) == quote;
        for (at_ += triple ? 3 : 1; at_ < text_.size(); ++at_) {
            if (peek() == '\\') ++at_;
            else if (peek() == '\n' && !triple) break;
            else if (peek() == quote && (!triple || (peek(1) == quote && peek(2) == quote))) {
                at_ += triple ? 3 : 1;
                return add(TokenKind::String, begin, at_);
            }
        }
        bad(begin, begin + 1, "the string has no end");
    }
    void punctuation() {
        const auto rest = text_.substr(at_);
        for (std::string_view spelling : operators) {
            if (!rest.starts_with(spelling)) continue;
            const char c = spelling[0];
            if (c == '(' || c == '[' || c == '{') ++open_brackets_;
            else if ((c == ')' || c == ']' || c == '}') && open_brackets_ > 0) --open_brackets_;
            add(TokenKind::Operator, at_, at_ + spelling.size());
            at_ += spelling.size();
            return;
        }
        bad(at_, at_ + 1, "expected a valid token");
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t open_brackets_ = 0;
    std::vector<std::size_t> levels_ = {0};
    std::vector<Token> tokens_;
    bool bad_ = false;
};

} // namespace

std::vector<Token> tokenize(std::string_view text) { return Lexer(text).run(); }

std::string describe(const Token& token) {
    switch (token.kind) {
    case TokenKind::End:
        return "'eof'";
    case TokenKind::Newline:
        return "'newline'";
    case TokenKind::Indent:
        return "'indent'";
    case TokenKind::Dedent:
        return "'dedent'";
    case TokenKind::Identifier:
        return "'ident'";
    case TokenKind::Number:
        return "'number'";
    case TokenKind::String:
        return "'string_literal'";
    case TokenKind::TypeComment:
        return "'type comment'";
    default:
        return "'" + std::string(token.text) + "'";
    }
}

} // namespace reel::jit::syntax
