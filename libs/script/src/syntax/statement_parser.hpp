// Statements and definitions.
#pragma once

#include "expression_parser.hpp"

namespace reel::jit::syntax {

class StatementParser {
public:
    explicit StatementParser(WordStream& words) : words_(words), expressions_(words) {}

    std::unique_ptr<Def> function();
    std::unique_ptr<ClassDef> type();

private:
    Block block();
    StmtPtr statement();
    StmtPtr simple(const Token& first);
    StmtPtr assignment();
    StmtPtr conditional(StmtKind kind);
    StmtPtr loop();
    StmtPtr with();
    StmtPtr nested_function();
    void otherwise(Stmt& branch);
    void parameters(Def& def);
    ExprPtr annotation();
    void type_comment(Def& def);
    StmtPtr end_of_line(StmtPtr s);

    WordStream& words_;
    ExpressionParser expressions_;
};

} // namespace reel::jit::syntax
