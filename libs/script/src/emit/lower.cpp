#include "lower.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include <reel/script/operator.hpp>

#include "environment.hpp"
#include "match.hpp"

namespace reel::jit::emit {

namespace {

bool is_constant(const Value* v, const IValue& wanted) {
    const IValue* known = constant_of(v);
    return known && known->is(wanted);
}

/// A loop that is neither `for` (goes on until its count is reached) nor `while` (has no count).
bool is_mixed(const Node* n) {
    if (n->kind() != prim::Loop) return false;
    const bool endless = is_constant(n->input(0), std::numeric_limits<std::int64_t>::max());
    const bool unconditional = is_constant(n->input(1), true) && is_constant(n->block(0)->outputs()[0], true);
    return !endless && !unconditional;
}

void unfold(Node* n) {
    Graph& graph = *n->graph();
    const SourceRange& range = n->range();
    const auto call = [&](const char* op, std::vector<Value*> operands) {
        return call_operator(graph, range, op, {std::move(operands), {}});
    };
    graph.set_insert_point(n);
    Value* zero = graph.insert_constant(std::int64_t(0), nullptr, range);
    Value* one = graph.insert_constant(std::int64_t(1), nullptr, range);
    Value* trips = n->input(0);
    Value* condition = call("aten::gt", {trips, zero});
    n->replace_input(0, graph.insert_constant(std::numeric_limits<std::int64_t>::max(), nullptr, range));
    if (!is_constant(n->input(1), true)) condition = call("aten::__and__", {condition, n->input(1)});
    n->replace_input(1, condition);
    n->add_input(zero);
    n->add_output(Type::Int());
    Block* body = n->block(0);
    Value* trip = body->add_input({}, Type::Int());
    body->inputs()[0]->set_name({});
    body->inputs()[0]->replace_all_uses_with(trip);
    graph.set_insert_point(body);
    Value* next = call("aten::add", {trip, one});
    body->add_output(next);
    Value* more = call("aten::lt", {next, trips});
    Value* again = call("aten::__and__", {more, body->outputs()[0]});
    body->return_node()->replace_input(0, again);
    graph.set_insert_point(graph.block());
}

/// The values from outside that a block uses, in the order of their first uses.
void outside_values(const Block* b, std::set<const Value*>& inside, std::vector<Value*>& outside) {
    const auto look = [&](const std::vector<Value*>& values) {
        for (Value* v : values)
            if (!inside.contains(v) && std::ranges::find(outside, v) == outside.end()) outside.push_back(v);
    };
    inside.insert(b->inputs().begin(), b->inputs().end());
    for (const Node* n = b->first(); n; n = n->next()) {
        look(n->inputs());
        for (const Block* inner : n->blocks()) outside_values(inner, inside, outside);
        inside.insert(n->outputs().begin(), n->outputs().end());
    }
    look(b->outputs());
}

/// Constants of a forked body are the forking program's: they are handed over as what it closes over is.
void hoist_constants(Node* fork, Block* b) {
    for (Node *n = b->first(), *next; n; n = next) {
        next = n->next();
        for (Block* inner : n->blocks()) hoist_constants(fork, inner);
        if (n->kind() == prim::Constant && n->output()->type()->kind() != TypeKind::Function) n->move_before(fork);
    }
}

void lift(Node* n) {
    if (n->blocks().size() > 1) { // the arguments of a plain call are evaluated where it stands, its defaults are not
        hoist_constants(n, n->block(0));
        n->erase_block(1);
    }
    auto body = std::make_shared<Graph>();
    std::set<const Value*> inside;
    std::vector<Value*> outside;
    outside_values(n->block(0), inside, outside);
    std::unordered_map<const Value*, Value*> map;
    for (Value* v : outside) {
        map[v] = body->add_input(v->name(), v->type());
        n->add_input(v);
    }
    for (Value* result : body->copy_block_into(*n->block(0), body->block(), nullptr, map)) body->add_output(result);
    n->erase_block(0);
    n->set("Subgraph", std::move(body));
}

} // namespace

void unfold_counted_loops(Block* block) {
    for (Node* n = block->first(); n; n = n->next()) {
        for (Block* inner : n->blocks()) unfold_counted_loops(inner);
        if (is_mixed(n)) unfold(n);
    }
}

void lift_forks(Block* block) {
    for (Node* n = block->first(); n; n = n->next()) {
        for (Block* inner : n->blocks()) lift_forks(inner);
        if (n->kind() == prim::fork && !n->blocks().empty()) lift(n);
    }
}

void settle_empty_lists(Block* block) {
    for (Node* n = block->first(); n;) {
        Node* const next = n->next();
        for (Block* inner : n->blocks()) settle_empty_lists(inner);
        if (n->kind() == pending::empty) {
            Node* list = block->graph()->create(prim::ListConstruct);
            list->output()->set_type(n->output()->type());
            list->insert_before(n);
            n->output()->replace_all_uses_with(list->output());
            n->destroy();
        }
        n = next;
    }
}

void lower(Graph& graph, const std::set<Block*>& leaving) {
    settle_empty_lists(graph.block());
    join_variables(graph, leaving);
    lower_jumps(graph);
    unfold_counted_loops(graph.block());
    lift_forks(graph.block());
    graph.set_insert_point(graph.block());
}

} // namespace reel::jit::emit
