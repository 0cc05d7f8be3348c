#include "archive/upgrade.hpp"

#include <reel/script/operator.hpp>

namespace reel::jit {

namespace {
constexpr std::int64_t float32 = 6; ///< as scripts number dtypes

Value* call(Graph& g, const char* overload, std::vector<Value*> inputs, TypePtr type) {
    const Operator* op = find_operator(overload);
    REEL_CHECK(op, "there is no operator '", overload, "' to stand for an older one");
    Node* n = g.create(op->symbol, std::move(inputs));
    n->set_op(op);
    return g.insert_node(n)->output()->set_type(std::move(type));
}
Value* either(Graph& g, Value* a, Value* b) { return call(g, "aten::__or__.bool", {a, b}, Type::Bool()); }
/// Whether a tensor's division never was one of integers.
Value* is_fractional(Graph& g, Value* tensor) {
    return either(g, call(g, "aten::is_floating_point", {tensor}, Type::Bool()),
                  call(g, "aten::is_complex", {tensor}, Type::Bool()));
}
bool is_old_div(const Node* n) {
    if (!n->op() || (!n->kind().is("aten::div") && !n->kind().is("aten::div_"))) return false;
    const FunctionSchema& schema = n->op()->schema;
    return n->inputs().size() == 2 && (schema.overload == "Tensor" || schema.overload == "Scalar") &&
           n->input(1)->type()->kind() != TypeKind::Float && n->input(1)->type()->kind() != TypeKind::Complex;
}
/// if fractional: div(a, b), else: div(a, b, rounding_mode="trunc")
void upgrade_div(Graph& g, Node* n) {
    g.set_insert_point(n);
    g.set_current_range(n->range());
    Value *a = n->input(0), *b = n->input(1);
    Value* fractional = is_fractional(g, a);
    if (b->type()->kind() == TypeKind::Tensor) fractional = either(g, fractional, is_fractional(g, b));
    Node* branch = g.insert_node(g.create(prim::If, {fractional}));
    const std::string name = n->op()->schema.name + "." + n->op()->schema.overload;
    for (const bool today : {true, false}) {
        Block* block = branch->add_block();
        g.set_insert_point(block);
        std::vector<Value*> inputs{a, b};
        if (!today) inputs.push_back(g.insert_constant(IValue("trunc"), nullptr, n->range()));
        block->add_output(call(g, (today ? name : name + "_mode").c_str(), std::move(inputs), n->output()->type()));
    }
    n->output()->replace_all_uses_with(branch->output()->set_type(n->output()->type()));
    n->destroy();
}
bool is_old_full(const Node* n) {
    if (!n->op() || !n->kind().is("aten::full")) return false;
    const FunctionSchema& schema = n->op()->schema;
    const std::size_t value = schema.find_argument("fill_value"), dtype = schema.find_argument("dtype");
    if (value >= n->inputs().size() || dtype >= n->inputs().size()) return false;
    const TypeKind kind = n->input(value)->type()->kind();
    return (kind == TypeKind::Int || kind == TypeKind::Bool) && n->input(dtype)->type()->kind() == TypeKind::None;
}
void upgrade_full(Graph& g, Node* n) {
    g.set_insert_point(n);
    n->replace_input(n->op()->schema.find_argument("dtype"), g.insert_constant(float32, nullptr, n->range()));
}
void upgrade_block(Graph& g, Block& block, int version) {
    for (Node* n = block.first(); n;) {
        Node* next = n->next();
        for (Block* inner : n->blocks()) upgrade_block(g, *inner, version);
        for (const auto& [name, attribute] : n->attributes())
            if (const auto* graph = std::get_if<std::shared_ptr<Graph>>(&attribute)) upgrade(**graph, version);
        if (version < 4 && is_old_div(n)) upgrade_div(g, n);
        else if (version < 5 && is_old_full(n)) upgrade_full(g, n);
        n = next;
    }
}
} // namespace

void upgrade(Graph& graph, int version) {
    if (version >= current_version) return;
    upgrade_block(graph, *graph.block(), version);
    graph.set_insert_point(graph.block());
}

} // namespace reel::jit
