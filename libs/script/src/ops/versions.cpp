#include "ops/versions.hpp"

#include <reel/autograd/error.hpp>
#include <reel/script/operator.hpp>

namespace reel::jit {

namespace {

Value* call(Graph& graph, const char* op, std::vector<Value*> inputs, const SourceRange& range) {
    const Operator* const found = find_operator(op);
    REEL_INTERNAL_ASSERT(found, op);
    Node* const n = graph.create(found->symbol, std::move(inputs));
    n->set_op(found);
    n->set_range(range);
    graph.insert_node(n);
    return n->output()->set_type(found->schema.returns[0].type);
}

bool is_whole(const Value* v) { return v->type()->kind() == TypeKind::Int || v->type()->kind() == TypeKind::Bool; }
bool is_none(const Value* v) {
    const Node* const n = v->node();
    return v->type()->kind() == TypeKind::None ||
           (n->kind() == prim::Constant && (!n->has("value") || n->value().isNone()));
}

/// `div(a, b)` of integral operands becomes `div(a, b, rounding_mode="trunc")`, which is known when it runs.
void truncate_division(Graph& graph, Node* n) {
    Value *const a = n->input(0), *const b = n->input(1);
    const bool tensors = b->type()->kind() == TypeKind::Tensor;
    if (!tensors && !is_whole(b)) return; // by a float: as today
    const bool in_place = n->kind().name() == "div_";
    graph.set_insert_point(n);
    Value* is_float = call(graph, "aten::is_floating_point", {a}, n->range());
    if (tensors)
        is_float = call(graph, "aten::__or__.bool", {is_float, call(graph, "aten::is_floating_point", {b}, n->range())},
                        n->range());
    Node* const choice = graph.create(prim::If, {is_float});
    choice->set_range(n->range());
    graph.insert_node(choice);
    const std::string op = in_place ? "aten::div_." : "aten::div.";
    for (const bool floats : {true, false}) {
        Block* const block = choice->add_block();
        graph.set_insert_point(block);
        if (floats) block->add_output(call(graph, (op + (tensors ? "Tensor" : "Scalar")).c_str(), {a, b}, n->range()));
        else {
            Value* const mode = graph.insert_constant("trunc", nullptr, n->range());
            block->add_output(
                call(graph, (op + (tensors ? "Tensor_mode" : "Scalar_mode")).c_str(), {a, b, mode}, n->range()));
        }
    }
    choice->output()->set_type(Type::Tensor())->set_name(n->output()->name());
    n->output()->replace_all_uses_with(choice->output());
    n->destroy();
}

/// `full(size, 7)` is `full(size, 7.)`.
void fill_with_float(Graph& graph, Node* n) {
    if (!is_whole(n->input(1)) || !is_none(n->input(2))) return;
    graph.set_insert_point(n);
    const Node* const given = n->input(1)->node();
    Value* const value = given->kind() == prim::Constant
                             ? graph.insert_constant(given->value().toDouble(), nullptr, n->range())
                             : call(graph, "aten::Float.Scalar", {n->input(1)}, n->range());
    n->replace_input(1, value);
}

void upgrade_block(Graph& graph, Block* block, int version) {
    for (Node *n = block->first(), *next; n; n = next) {
        next = n->next();
        for (Block* const inner : n->blocks()) upgrade_block(graph, inner, version);
        for (const auto& [name, attribute] : n->attributes())
            if (const auto* const body = std::get_if<std::shared_ptr<Graph>>(&attribute)) upgrade(**body, version);
        const bool division = n->kind().is("aten::div") || n->kind().is("aten::div_");
        if (version < 4 && division && n->inputs().size() == 2 && n->input()->type()->kind() == TypeKind::Tensor)
            truncate_division(graph, n);
        else if (version < 5 && n->kind().is("aten::full") && n->inputs().size() > 2) fill_with_float(graph, n);
    }
}

} // namespace

void upgrade(Graph& graph, int version) {
    if (version >= 5) return;
    upgrade_block(graph, graph.block(), version);
    graph.set_insert_point(graph.block());
}

} // namespace reel::jit
