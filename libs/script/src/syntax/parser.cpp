#include "parser.hpp"

#include "expression_parser.hpp"
#include "statement_parser.hpp"

namespace reel::jit::syntax {

File parse_file(std::shared_ptr<const Source> source, bool classes) {
    WordStream words(source);
    StatementParser parser(words);
    File file;
    file.source = std::move(source);
    while (!words.now().is(TokenKind::End)) {
        Definition definition;
        if (classes && words.now().is("class")) definition.type = parser.type();
        else if (words.now().is("def")) definition.function = parser.function();
        else words.refuse(classes ? "class or def" : "def");
        file.definitions.push_back(std::move(definition));
    }
    return file;
}

ExprPtr parse_expression(std::shared_ptr<const Source> source) {
    WordStream words(std::move(source));
    ExprPtr e = ExpressionParser(words).expression();
    words.take_if(TokenKind::Newline);
    if (!words.now().is(TokenKind::End)) words.refuse("the end of the expression");
    return e;
}

} // namespace reel::jit::syntax
