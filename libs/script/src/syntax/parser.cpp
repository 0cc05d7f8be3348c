#include "parser.hpp"

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

} // namespace reel::jit::syntax
