#include "statement_parser.hpp"

#include <array>

namespace reel::jit::syntax {

namespace {

constexpr std::array<std::string_view, 9> augmented = {"+=", "-=", "*=", "/=", "%=", "**=", "<<=", ">>=", "|="};

bool is_target(const Expr& e) {
    switch (e.kind) {
    case ExprKind::Name:
    case ExprKind::Attribute:
    case ExprKind::Subscript:
        return true;
    case ExprKind::Starred:
        return is_target(e[0]);
    case ExprKind::Tuple:
    case ExprKind::List:
        for (const auto& part : e.operands)
            if (!is_target(*part)) return false;
        return true;
    default:
        return false;
    }
}

std::string_view augmenting_operator(const Token& word) {
    for (std::string_view spelling : augmented)
        if (word.is(spelling)) return spelling.substr(0, spelling.size() - 1);
    return word.is("&=") ? "&" : word.is("^=") ? "^" : "";
}

} // namespace

StmtPtr StatementParser::end_of_line(StmtPtr s) {
    s->end = words_.previous_end();
    words_.expect(TokenKind::Newline, "newline");
    return s;
}

Block StatementParser::block() {
    WordStream::Level level(words_);
    Block statements;
    if (!words_.take_if(TokenKind::Newline)) words_.refuse("indent");
    words_.expect(TokenKind::Indent, "indent");
    do statements.push_back(statement());
    while (!words_.take_if(TokenKind::Dedent) && !words_.now().is(TokenKind::End));
    return statements;
}

StmtPtr StatementParser::statement() {
    const Token& word = words_.now();
    if (word.is("if")) return conditional(StmtKind::If);
    if (word.is("while")) return conditional(StmtKind::While);
    if (word.is("for")) return loop();
    if (word.is("with")) return with();
    if (word.is("def")) return nested_function();
    return simple(word);
}

StmtPtr StatementParser::simple(const Token& first) {
    constexpr std::array<std::pair<std::string_view, StmtKind>, 8> words = {{{"pass", StmtKind::Pass},
                                                                             {"break", StmtKind::Break},
                                                                             {"continue", StmtKind::Continue},
                                                                             {"return", StmtKind::Return},
                                                                             {"raise", StmtKind::Raise},
                                                                             {"assert", StmtKind::Assert},
                                                                             {"del", StmtKind::Delete},
                                                                             {"global", StmtKind::Global}}};
    for (const auto& [spelling, kind] : words) {
        if (!first.is(spelling)) continue;
        auto s = std::make_unique<Stmt>(kind, words_.take().begin);
        if (kind == StmtKind::Return || kind == StmtKind::Raise) {
            if (!words_.now().is(TokenKind::Newline)) s->value = expressions_.expression_or_tuple();
        } else if (kind == StmtKind::Assert) {
            s->value = expressions_.expression();
            if (words_.take_if(",")) s->message = expressions_.expression();
        } else if (kind == StmtKind::Delete) {
            do s->targets.push_back(expressions_.expression());
            while (words_.take_if(","));
        } else if (kind == StmtKind::Global)
            words_.fail(s->begin, words_.now().end, "Unrecognized statement kind global");
        return end_of_line(std::move(s));
    }
    return assignment();
}

StmtPtr StatementParser::assignment() {
    auto first = expressions_.expression_or_tuple();
    auto s = std::make_unique<Stmt>(StmtKind::Expression, first->begin);
    const auto check = [&](const Expr& target) {
        if (is_target(target)) return;
        const Expr* wrong = &target;
        if (target.kind == ExprKind::Tuple)
            for (const auto& part : target.operands)
                if (wrong == &target && !is_target(*part)) wrong = part.get();
        words_.fail(wrong->begin, wrong->end, "unexpected expression on left-hand side of assignment");
    };
    if (const auto op = augmenting_operator(words_.now()); !op.empty()) {
        words_.take();
        check(*first);
        s->kind = StmtKind::AugAssign;
        s->text = op;
        s->targets.push_back(std::move(first));
        s->value = expressions_.expression_or_tuple();
        return end_of_line(std::move(s));
    }
    if (words_.now().is(":") && first->kind != ExprKind::Tuple) {
        words_.take();
        s->annotation = annotation();
        s->kind = StmtKind::Assign;
        if (!words_.now().is("=")) { // `x : T`: a declaration alone
            s->targets.push_back(std::move(first));
            return end_of_line(std::move(s));
        }
    }
    s->value = std::move(first);
    while (words_.take_if("=")) {
        check(*s->value);
        s->kind = StmtKind::Assign;
        s->targets.push_back(std::move(s->value));
        s->value = expressions_.expression_or_tuple();
    }
    return end_of_line(std::move(s));
}

StmtPtr StatementParser::conditional(StmtKind kind) {
    WordStream::Level level(words_);
    auto s = std::make_unique<Stmt>(kind, words_.take().begin);
    s->value = expressions_.expression();
    words_.expect(":");
    s->end = words_.previous_end();
    s->body = block();
    if (kind == StmtKind::If) {
        otherwise(*s);
        s->end = (s->otherwise.empty() ? s->body : s->otherwise).back()->end;
        // Where no branch is left over, the reference marks the word behind: what goes wrong there is seen at once.
        const Token& behind = words_.now();
        const bool stands_there = !behind.is(TokenKind::Dedent) && !behind.is(TokenKind::End);
        if (s->otherwise.empty() && stands_there) s->end = behind.end;
    }
    return s;
}

void StatementParser::otherwise(Stmt& branch) {
    if (words_.now().is("elif")) branch.otherwise.push_back(conditional(StmtKind::If));
    else if (words_.take_if("else")) {
        words_.expect(":");
        branch.otherwise = block();
    }
}

StmtPtr StatementParser::loop() {
    auto s = std::make_unique<Stmt>(StmtKind::For, words_.take().begin);
    s->targets.push_back(expressions_.target_or_tuple());
    if (!is_target(*s->targets[0]))
        words_.fail(s->targets[0]->begin, s->targets[0]->end, "unexpected expression on left-hand side of assignment");
    words_.expect("in");
    s->value = expressions_.expression_or_tuple();
    words_.expect(":");
    s->end = words_.previous_end();
    s->body = block();
    return s;
}

StmtPtr StatementParser::with() {
    auto s = std::make_unique<Stmt>(StmtKind::With, words_.take().begin);
    do {
        WithItem item;
        item.value = expressions_.expression();
        if (words_.take_if("as")) {
            const Token name = words_.expect(TokenKind::Identifier, "ident");
            item.target = std::make_unique<Expr>(ExprKind::Name, name.begin, name.end, std::string(name.text));
        }
        s->items.push_back(std::move(item));
    } while (words_.take_if(","));
    words_.expect(":");
    s->end = words_.previous_end();
    s->body = block();
    return s;
}

StmtPtr StatementParser::nested_function() {
    auto s = std::make_unique<Stmt>(StmtKind::Def, words_.now().begin);
    s->def = function();
    s->end = s->def->end;
    return s;
}

ExprPtr StatementParser::annotation() { return expressions_.expression(); }

void StatementParser::parameters(Def& def) {
    def.parameters_begin = words_.expect("(").begin;
    bool keyword_only = false;
    while (!words_.now().is(")")) {
        if (words_.take_if("*")) keyword_only = true;
        else {
            Parameter p;
            const Token name = words_.expect(TokenKind::Identifier, "ident");
            p.name = name.text;
            p.begin = name.begin;
            p.keyword_only = keyword_only;
            if (words_.take_if(":")) p.annotation = annotation();
            if (words_.take_if("=")) p.default_value = expressions_.expression();
            p.end = words_.previous_end();
            def.parameters.push_back(std::move(p));
        }
        if (!words_.take_if(",")) break;
    }
    words_.expect(")");
}

void StatementParser::type_comment(Def& def) {
    // `# type: (int, str) -> int`: one type for each parameter, `self` may be left out.
    const Token mark = words_.expect(TokenKind::TypeComment, "type comment");
    auto types = expressions_.expression();
    if (types->kind != ExprKind::Tuple) {
        auto one = std::make_unique<Expr>(ExprKind::Tuple, types->begin, types->end);
        one->operands.push_back(std::move(types));
        types = std::move(one);
    }
    words_.expect("->");
    def.result = annotation();
    words_.expect(TokenKind::Newline, "newline");
    const std::size_t count = types->operands.size();
    if (count == 1 && types->operands[0]->kind == ExprKind::Dots) return;
    const std::size_t bare = def.parameters.size() - count;
    if (count > def.parameters.size() || bare > 1)
        words_.fail(mark.begin, words_.previous_end(),
                    "Number of type annotations for function parameters (" + std::to_string(count) +
                        ") does not match the number of parameters on the function (" +
                        std::to_string(def.parameters.size()) + ")");
    for (std::size_t i = 0; i < count; ++i) def.parameters[i + bare].annotation = std::move(types->operands[i]);
}

std::unique_ptr<Def> StatementParser::function() {
    WordStream::Level level(words_);
    words_.expect("def");
    auto def = std::make_unique<Def>();
    const Token name = words_.expect(TokenKind::Identifier, "ident");
    def->name = name.text;
    def->begin = name.begin;
    def->end = name.end;
    parameters(*def);
    if (words_.take_if("->")) def->result = annotation();
    def->head_end = words_.expect(":").end;
    if (words_.now().is(TokenKind::TypeComment)) {
        type_comment(*def);
        words_.expect(TokenKind::Indent, "indent");
    } else if (!words_.now().is(TokenKind::Newline)) {
        def->body.push_back(statement()); // `def f(x): return x`
        return def;
    } else {
        words_.take();
        words_.expect(TokenKind::Indent, "indent");
        if (words_.now().is(TokenKind::TypeComment)) type_comment(*def);
    }
    do def->body.push_back(statement());
    while (!words_.take_if(TokenKind::Dedent) && !words_.now().is(TokenKind::End));
    return def;
}

std::unique_ptr<ClassDef> StatementParser::type() {
    words_.expect("class");
    auto c = std::make_unique<ClassDef>();
    const Token name = words_.expect(TokenKind::Identifier, "ident");
    c->name = name.text;
    c->begin = name.begin;
    c->end = name.end;
    if (words_.take_if("(")) {
        if (!words_.now().is(")")) c->base = words_.expect(TokenKind::Identifier, "ident").text;
        words_.expect(")");
    }
    words_.expect(":");
    words_.expect(TokenKind::Newline, "newline");
    words_.expect(TokenKind::Indent, "indent");
    do {
        if (words_.now().is("def")) c->methods.push_back(function());
        else c->fields.push_back(statement());
    } while (!words_.take_if(TokenKind::Dedent) && !words_.now().is(TokenKind::End));
    return c;
}

} // namespace reel::jit::syntax
