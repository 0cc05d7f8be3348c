#include "source_printer.hpp"

#include <algorithm>
#include <limits>
#include <unordered_set>

namespace reel::jit {

struct SourcePrinter::Indented {
    explicit Indented(SourcePrinter& p) : printer(p) { ++printer.level_; }
    ~Indented() { --printer.level_; }
    SourcePrinter& printer;
};

namespace {

// The constants that a block uses, in the order in which it does.
void collect_constants(const Block& block, std::vector<const Node*>& constants,
                       std::unordered_set<const Node*>& known) {
    const auto of = [&](const Node* n) {
        for (const Value* v : n->inputs()) {
            if (is_constant(v->node()) && known.insert(v->node()).second) constants.push_back(v->node());
        }
    };
    for (const Node* n = block.first(); n; n = n->next()) {
        of(n);
        for (const Block* b : n->blocks()) {
            collect_constants(*b, constants, known);
        }
    }
    of(block.return_node());
}

const IValue* constant_value(const Value* v) {
    return v->node()->kind() == prim::Constant && v->node()->has("value") ? &v->node()->value() : nullptr;
}

bool is_true(const Value* v) {
    const IValue* value = constant_value(v);
    return value && value->isBool() && value->toBool();
}

// `for _ in range(n)`; a loop that goes on by its condition is a `while`.
bool is_for_loop(const Node* loop) {
    const Block* body = loop->block(0);
    const IValue* count = constant_value(loop->input(0));
    const bool is_counted =
        !count || count->toInt() != std::numeric_limits<std::int64_t>::max() || !body->inputs()[0]->uses().empty();
    const bool goes_on = is_true(loop->input(1)) && is_true(body->outputs()[0]);
    REEL_CHECK_NOT_IMPLEMENTED(goes_on || !is_counted,
                               "code: a loop with both a trip count and a condition has no text");
    return goes_on && is_counted;
}

std::string identifier(const std::string& name) {
    std::string out = name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) ? "_" : "";
    for (char c : name) {
        out += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    }
    return out;
}

/// What is set first may be of a narrower type, which would then be taken for the variable's.
bool is_of_several(const Value* v) {
    return v->type()->kind() == TypeKind::Optional || v->type()->kind() == TypeKind::Union;
}

std::vector<Value*> behind(const std::vector<Value*>& values, std::size_t first) {
    return {values.begin() + std::ptrdiff_t(first), values.end()};
}

} // namespace

void SourcePrinter::print_function(Function& function, bool with_first_type) {
    const FunctionSchema& schema = function.schema();
    const Graph& graph = *function.graph();
    names_.begin_function();
    std::string head = "def " + function.name() + "(";
    for (std::size_t i = 0; i < schema.arguments.size(); ++i) {
        const Argument& a = schema.arguments[i];
        need(a.type);
        std::string name = names_.fresh(identifier(a.name));
        head += i ? ",\n    " + name : name;
        if (i || with_first_type) head += ": " + a.type->annotation_str();
        if (a.default_value) head += "=" + constant_text(*a.default_value, *a.type);
        assign(graph.inputs().at(i), std::move(name));
    }
    const TypePtr result = schema.returns.empty() ? Type::None() : schema.returns[0].type;
    line(head + ") -> " + result->annotation_str() + ":");
    need(result);
    Indented body(*this);
    print_body(*graph.block());
}

void SourcePrinter::print_body(const Block& block) {
    // Long constants are bound first of all.
    std::vector<const Node*> constants;
    std::unordered_set<const Node*> known;
    collect_constants(block, constants, known);
    inlined_.add(block);
    for (const Node* c : constants) {
        print_node(c, true);
    }
    print_nodes(block, true);
    print_node(block.return_node(), false);
}

void SourcePrinter::print_nodes(const Block& block, bool something_follows) {
    if (!block.first() && !something_follows) line("pass");
    for (const Node* n = block.first(); n; n = n->next()) {
        print_node(n, false);
    }
}

void SourcePrinter::print_node(const Node* n, bool is_top_constant) {
    for (const Value* v : n->inputs()) {
        need(v->type());
    }
    for (const Value* v : n->outputs()) {
        need(v->type());
    }
    if (is_constant(n) && !is_top_constant) return;
    split_long_operands(n->inputs());
    if (n->kind() == prim::Return) {
        if (!n->inputs().empty()) line("return " + operands(n->inputs()));
    } else if (n->kind() == prim::If) print_if(n);
    else if (n->kind() == prim::Loop) print_loop(n);
    else if (n->kind() == prim::fork) print_fork(n);
    else if (n->kind() == prim::Enter) print_enter(n);
    else if (n->kind() == prim::Exit) {
        if (n->prev() && n->prev()->kind() == prim::Enter) line("pass");
        --level_;
    } else if (n->kind() == prim::TupleUnpack || n->kind() == prim::ListUnpack) {
        for (const Value* v : n->outputs()) {
            assign_name(v);
        }
        std::string targets = n->outputs().empty() ? "" : operands(n->outputs()) + ", = ";
        line(targets + use(n->input()));
    } else if (n->kind() == prim::ModuleContainerIndex) {
        assign_name(n->output());
        line(use(n->output()) + " : " + n->output()->type()->annotation_str() + " = " + use(n->input(0)) + "[" +
             use(n->input(1)) + "]");
    } else if (n->kind() == prim::SetAttr) {
        line(use(n->input(0)) + "." + n->text() + " = " + use(n->input(1)));
    } else {
        std::string text = expression(n);
        if (!inlined_.has(n) || (is_top_constant && is_long(text))) return print_definition(n, text);
        assign(n->output(), std::move(text));
        if (!is_top_constant) pending_.push_back(n);
    }
}

void SourcePrinter::print_if(const Node* n) {
    for (const Value* v : n->outputs()) {
        assign_name(v);
    }
    const bool joins = !n->outputs().empty();
    line("if " + use(n->input()) + ":");
    for (std::size_t i = 0; i < 2; ++i) {
        if (i) line("else:");
        Indented branch(*this);
        print_nodes(*n->block(i), joins);
        split_long_operands(n->block(i)->outputs());
        print_branch_results(n->outputs(), n->block(i)->outputs(), i == 0);
    }
}

void SourcePrinter::print_loop(const Node* n) {
    const Block* body = n->block(0);
    const bool counted = is_for_loop(n);
    for (const Value* v : n->outputs()) {
        assign_name(v);
    }
    // A carried value has one name before, inside and behind the loop.
    for (std::size_t i = 0; i < n->outputs().size(); ++i) {
        assign(body->inputs()[i + 1], use(n->output(i)));
    }
    for (std::size_t i = 0; i < n->outputs().size(); ++i) {
        const Value* v = n->output(i);
        const std::string type = is_of_several(v) ? ": " + v->type()->annotation_str() : "";
        line(use(v) + type + " = " + use(n->input(i + 2)));
    }
    // A `while` has no use for the trip's number, which stands for its condition.
    Value* trip = body->inputs()[0];
    assign_name(trip);
    if (counted) {
        line("for " + use(trip) + " in range(" + use(n->input(0)) + "):");
    } else {
        print_assignment({trip}, {n->input(1)});
        line("while " + use(trip) + ":");
    }
    Indented inside(*this);
    const std::size_t first = counted ? 1 : 0;
    print_nodes(*body, body->inputs().size() > first);
    split_long_operands(body->outputs());
    print_assignment(behind(body->inputs(), first), behind(body->outputs(), first));
}

void SourcePrinter::print_fork(const Node* n) {
    // The body is a function without arguments: it sees the locals.
    const std::string name = names_.fresh("__forked_function");
    const auto& body = std::get<std::shared_ptr<Graph>>(n->attribute("Subgraph"));
    line("def " + name + "():");
    for (std::size_t i = 0; i < n->inputs().size(); ++i) {
        assign(body->inputs().at(i), use(n->input(i)));
    }
    {
        Indented inside(*this);
        print_body(*body->block());
    }
    print_definition(n, "fork(" + name + ")");
}

void SourcePrinter::print_enter(const Node* n) {
    std::string text = "with " + use(n->input());
    if (!n->outputs().empty() && !n->output()->uses().empty()) {
        assign_name(n->output());
        text += " as " + use(n->output());
    }
    line(text + ":");
    ++level_; // until prim::Exit
}

void SourcePrinter::split_long_operands(const std::vector<Value*>& operands) {
    const auto place = [&](const Value* v) { return std::find(pending_.begin(), pending_.end(), v->node()); };
    auto end = pending_.begin();
    for (const Value* v : operands) {
        if (auto at = place(v); at != pending_.end() && is_long(use(v))) end = std::max(end, at + 1);
    }
    // What is evaluated before a long operand gets a line before it.
    const std::vector<const Node*> lines(pending_.begin(), end);
    pending_.erase(pending_.begin(), end);
    for (const Node* n : lines) {
        print_definition(n, std::string(use(n->output())));
    }
    for (const Value* v : operands) {
        if (auto at = place(v); at != pending_.end()) pending_.erase(at);
    }
}

void SourcePrinter::print_definition(const Node* n, const std::string& expression) {
    for (const Value* v : n->outputs()) {
        assign_name(v);
    }
    line(n->outputs().empty() ? expression : operands(n->outputs()) + " = " + expression);
}

void SourcePrinter::print_assignment(const std::vector<Value*>& to, const std::vector<Value*>& from) {
    if (!to.empty()) line(operands(to) + " = " + operands(from));
}

void SourcePrinter::print_branch_results(const std::vector<Value*>& to, const std::vector<Value*>& from,
                                         bool is_first) {
    // The first assignment to a variable tells that it may be None.
    if (is_first && to.size() == 1 && is_of_several(to[0]))
        line(use(to[0]) + " : " + to[0]->type()->annotation_str() + " = " + use(from[0]));
    else print_assignment(to, from);
}

void SourcePrinter::line(const std::string& text) {
    out_.append(2 * level_, ' ');
    out_ += text;
    out_ += '\n';
}

void SourcePrinter::need(const TypePtr& type) {
    if (!type->name().empty()) context_.needs(type);
    else {
        for (const TypePtr& t : type->contained()) {
            need(t);
        }
    }
}

const std::string& SourcePrinter::use(const Value* v) const {
    auto it = text_of_.find(v);
    REEL_INTERNAL_ASSERT(it != text_of_.end(), "code: a value of ", v->node()->kind().str(), " has no text yet");
    return it->second;
}

void SourcePrinter::assign_name(const Value* v) {
    assign(v, names_.fresh(v->name().empty() ? "_" : identifier(v->name())));
}

} // namespace reel::jit
