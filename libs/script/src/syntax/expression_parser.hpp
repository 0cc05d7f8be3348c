// Expressions: Python's precedence (rule SC-32).
#pragma once

#include "tree.hpp"
#include "word_stream.hpp"

namespace reel::jit::syntax {

class ExpressionParser {
public:
    explicit ExpressionParser(WordStream& words) : words_(words) {}

    ExprPtr expression(); ///< with `x if c else y`
    /// `a, b` is a tuple, `a,` too.
    ExprPtr expression_or_tuple();
    /// What a `for` assigns to: no `in` is taken.
    ExprPtr target_or_tuple();

private:
    ExprPtr binary(int level);
    ExprPtr negation();
    ExprPtr unary();
    ExprPtr power();
    ExprPtr postfix();
    ExprPtr primary();
    ExprPtr parenthesized();
    ExprPtr list();
    ExprPtr dict();
    ExprPtr strings();
    void call(ExprPtr& callee);
    void subscript(ExprPtr& value);
    ExprPtr subscript_item();
    ExprPtr comprehension(ExprPtr element, std::size_t begin);
    bool at_end_of_tuple() const;
    template <class Item> ExprPtr tuple(Item item);
    /// Joins operands under a new node and guards its depth.
    ExprPtr join(ExprKind kind, std::string text, ExprPtr a, ExprPtr b);
    void adopt(Expr& parent, ExprPtr child);

    WordStream& words_;
};

} // namespace reel::jit::syntax
