#include "expression_parser.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "literals.hpp"
#include "parser.hpp"

namespace reel::jit::syntax {

namespace {

/// Operators from the loosest to the tightest; all of these bind to the left.
constexpr int comparison_level = 2;
const std::array<std::vector<std::string_view>, 9> levels = {{{"or"},
                                                              {"and"},
                                                              {"<", ">", "<=", ">=", "==", "!=", "is", "in", "not"},
                                                              {"|"},
                                                              {"^"},
                                                              {"&"},
                                                              {"<<", ">>"},
                                                              {"+", "-"},
                                                              {"*", "/", "//", "%", "@"}}};

bool is_one_of(const Token& word, std::span<const std::string_view> spellings) {
    return std::ranges::any_of(spellings, [&](std::string_view s) { return word.is(s); });
}

} // namespace

void ExpressionParser::adopt(Expr& parent, ExprPtr child) {
    if (child) {
        parent.depth = std::max(parent.depth, child->depth + 1);
        if (parent.depth > chain_limit)
            words_.fail(parent.begin, parent.end,
                        "an expression of more than " + std::to_string(chain_limit) +
                            " operators in a row; write it in smaller steps");
    }
    parent.operands.push_back(std::move(child));
}

ExprPtr ExpressionParser::join(ExprKind kind, std::string text, ExprPtr a, ExprPtr b) {
    auto e = std::make_unique<Expr>(kind, a->begin, b->end, std::move(text));
    adopt(*e, std::move(a));
    adopt(*e, std::move(b));
    return e;
}

ExprPtr ExpressionParser::expression() {
    WordStream::Level level(words_);
    auto value = binary(0);
    if (!words_.take_if("if")) return value;
    auto condition = binary(0);
    words_.expect("else");
    auto otherwise = expression();
    auto e = std::make_unique<Expr>(ExprKind::Conditional, value->begin, otherwise->end);
    adopt(*e, std::move(value));
    adopt(*e, std::move(condition));
    adopt(*e, std::move(otherwise));
    return e;
}

ExprPtr ExpressionParser::binary(int level) {
    if (level == int(levels.size())) return unary();
    if (level == comparison_level && words_.now().is("not")) return negation();
    auto left = binary(level + 1);
    while (is_one_of(words_.now(), levels[level])) {
        if (words_.now().is("not") && !words_.ahead().is("in")) break;
        std::string spelling(words_.take().text);
        if (spelling == "not") {
            words_.expect("in");
            spelling = "not in";
        } else if (spelling == "is" && words_.take_if("not")) spelling = "is not";
        auto right = binary(level + 1);
        const auto kind = spelling == "or" ? ExprKind::Or : spelling == "and" ? ExprKind::And : ExprKind::Binary;
        left = join(kind, spelling, std::move(left), std::move(right));
    }
    return left;
}

ExprPtr ExpressionParser::negation() {
    WordStream::Level level(words_);
    const Token word = words_.take();
    auto operand = binary(comparison_level);
    auto e = std::make_unique<Expr>(ExprKind::Unary, word.begin, operand->end, "not");
    adopt(*e, std::move(operand));
    return e;
}

ExprPtr ExpressionParser::unary() {
    if (!words_.now().is("-") && !words_.now().is("~") && !words_.now().is("*")) return power();
    WordStream::Level level(words_);
    const Token word = words_.take();
    auto operand = unary();
    auto e = std::make_unique<Expr>(word.is("*") ? ExprKind::Starred : ExprKind::Unary, word.begin, operand->end,
                                    std::string(word.text));
    adopt(*e, std::move(operand));
    return e;
}

ExprPtr ExpressionParser::power() {
    auto base = postfix();
    if (!words_.take_if("**")) return base;
    WordStream::Level level(words_);
    auto exponent = unary(); // binds to the right, and `2 ** -1` is allowed
    return join(ExprKind::Binary, "**", std::move(base), std::move(exponent));
}

ExprPtr ExpressionParser::postfix() {
    auto value = primary();
    while (true) {
        if (words_.take_if(".")) {
            const Token name = words_.expect(TokenKind::Identifier, "ident");
            auto e = std::make_unique<Expr>(ExprKind::Attribute, value->begin, name.end, std::string(name.text));
            adopt(*e, std::move(value));
            value = std::move(e);
        } else if (words_.now().is("(")) call(value);
        else if (words_.now().is("[")) subscript(value);
        else return value;
    }
}

void ExpressionParser::call(ExprPtr& callee) {
    words_.expect("(");
    auto e = std::make_unique<Expr>(ExprKind::Call, callee->begin, callee->end);
    adopt(*e, std::move(callee));
    while (!words_.now().is(")")) {
        if (words_.now().is(TokenKind::Identifier) && words_.ahead().is("=")) {
            std::string name(words_.take().text);
            words_.expect("=");
            auto value = expression();
            e->depth = std::max(e->depth, value->depth + 1);
            e->keywords.push_back({std::move(name), std::move(value)});
        } else {
            auto value = expression();
            if (words_.now().is("for")) value = comprehension(std::move(value), words_.now().begin);
            adopt(*e, std::move(value));
        }
        if (!words_.take_if(",")) break;
    }
    e->end = words_.expect(")").end;
    callee = std::move(e);
}

ExprPtr ExpressionParser::subscript_item() {
    const std::size_t begin = words_.now().begin;
    if (words_.now().is("...")) return std::make_unique<Expr>(ExprKind::Dots, begin, words_.take().end);
    ExprPtr first;
    if (!words_.now().is(":")) first = expression();
    if (!words_.now().is(":")) return first;
    auto e = std::make_unique<Expr>(ExprKind::Slice, begin, words_.now().end);
    adopt(*e, std::move(first));
    for (int i = 0; i < 2; ++i) {
        const bool given =
            words_.take_if(":") && !words_.now().is(":") && !words_.now().is(",") && !words_.now().is("]");
        adopt(*e, given ? expression() : nullptr);
    }
    e->end = words_.previous_end();
    return e;
}

void ExpressionParser::subscript(ExprPtr& value) {
    words_.expect("[");
    auto e = std::make_unique<Expr>(ExprKind::Subscript, value->begin, value->end);
    adopt(*e, std::move(value));
    do adopt(*e, subscript_item());
    while (words_.take_if(",") && !words_.now().is("]"));
    e->end = words_.expect("]").end;
    value = std::move(e);
}

ExprPtr ExpressionParser::primary() {
    const Token& word = words_.now();
    const auto leaf = [&](ExprKind kind) {
        const Token taken = words_.take();
        return std::make_unique<Expr>(kind, taken.begin, taken.end, std::string(taken.text));
    };
    if (word.is(TokenKind::Identifier)) return leaf(ExprKind::Name);
    if (word.is(TokenKind::Number)) return leaf(ExprKind::Number);
    if (word.is(TokenKind::String)) return strings();
    if (word.is("True")) return leaf(ExprKind::True);
    if (word.is("False")) return leaf(ExprKind::False);
    if (word.is("None")) return leaf(ExprKind::None);
    if (word.is("...")) return leaf(ExprKind::Dots);
    if (word.is("(")) return parenthesized();
    if (word.is("[")) return list();
    if (word.is("{")) return dict();
    words_.refuse("ident");
}

ExprPtr ExpressionParser::strings() {
    auto e = std::make_unique<Expr>(ExprKind::String, words_.now().begin, words_.now().end);
    while (words_.now().is(TokenKind::String)) { // strings side by side are one
        const Token word = words_.take();
        try {
            e->text += read_string(word.text);
        } catch (const ValueError& error) {
            words_.fail(word.begin, word.end, error.what());
        }
        e->end = word.end;
    }
    return e;
}

ExprPtr ExpressionParser::parenthesized() {
    const std::size_t begin = words_.expect("(").begin;
    auto e = std::make_unique<Expr>(ExprKind::Tuple, begin, begin);
    bool comma = false;
    while (!words_.now().is(")")) {
        auto element = expression();
        if (words_.now().is("for") && e->operands.empty()) { // a generator, of which a list is made
            auto loop = comprehension(std::move(element), begin);
            loop->end = words_.expect(")").end;
            return loop;
        }
        adopt(*e, std::move(element));
        comma = words_.take_if(",");
        if (!comma) break;
    }
    e->end = words_.expect(")").end;
    if (e->operands.size() == 1 && !comma) return std::move(e->operands[0]);
    if (!e->operands.empty()) { // what stands between the parentheses
        e->begin = e->operands.front()->begin;
        e->end = e->operands.back()->end;
    }
    return e;
}

ExprPtr ExpressionParser::list() {
    const std::size_t begin = words_.expect("[").begin;
    auto e = std::make_unique<Expr>(ExprKind::List, begin, begin);
    while (!words_.now().is("]")) {
        auto element = expression();
        if (words_.now().is("for") && e->operands.empty()) {
            auto loop = comprehension(std::move(element), begin);
            loop->end = words_.expect("]").end;
            return loop;
        }
        adopt(*e, std::move(element));
        if (!words_.take_if(",")) break;
    }
    e->end = words_.expect("]").end;
    return e;
}

ExprPtr ExpressionParser::comprehension(ExprPtr element, std::size_t begin) {
    auto e = std::make_unique<Expr>(ExprKind::ListComp, begin, element->end);
    adopt(*e, std::move(element));
    words_.expect("for");
    adopt(*e, postfix());
    words_.expect("in");
    adopt(*e, expression());
    e->end = words_.previous_end();
    return e;
}

ExprPtr ExpressionParser::dict() {
    const std::size_t begin = words_.expect("{").begin;
    auto e = std::make_unique<Expr>(ExprKind::Dict, begin, begin);
    while (!words_.now().is("}")) {
        const std::size_t at = words_.now().begin;
        ExprPtr key = expression();
        if (words_.now().is("for")) key = comprehension(std::move(key), at); // no set: what follows is refused
        adopt(*e, std::move(key));
        words_.expect(":");
        adopt(*e, expression());
        if (words_.now().is("for") && e->operands.size() == 2) {
            e->kind = ExprKind::DictComp;
            words_.take();
            adopt(*e, postfix());
            words_.expect("in");
            adopt(*e, expression());
            break;
        }
        if (!words_.take_if(",")) break;
    }
    e->end = words_.expect("}").end;
    return e;
}

bool ExpressionParser::at_end_of_tuple() const {
    const Token& word = words_.now();
    return word.is(TokenKind::Newline) || word.is("=") || word.is(":") || word.is("in") || word.is(TokenKind::End);
}

template <class Item> ExprPtr ExpressionParser::tuple(Item item) {
    auto first = item();
    if (!words_.now().is(",")) return first;
    auto e = std::make_unique<Expr>(ExprKind::Tuple, first->begin, first->end);
    adopt(*e, std::move(first));
    while (words_.take_if(",") && !at_end_of_tuple()) adopt(*e, item());
    e->end = words_.previous_end();
    return e;
}

ExprPtr ExpressionParser::expression_or_tuple() {
    return tuple([this] { return expression(); });
}

ExprPtr ExpressionParser::target_or_tuple() {
    return tuple([this] { return words_.now().is("*") ? unary() : postfix(); });
}

} // namespace reel::jit::syntax
