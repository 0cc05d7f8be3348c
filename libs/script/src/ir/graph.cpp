// Blocks and graphs: what they own, and how they are copied.
#include <deque>

#include <reel/script/graph.hpp>

namespace reel::jit {

// Values, nodes and blocks live as long as their graph, so that a pointer to one that was taken away never dangles.
struct Graph::Storage {
    std::deque<Value> values;
    std::deque<Node> nodes;
    std::deque<Block> blocks;
};

Value* Block::add_input(std::string name, TypePtr type) {
    return insert_input(inputs().size(), std::move(name), std::move(type));
}

Value* Block::insert_input(std::size_t i, std::string name, TypePtr type) {
    return param_->insert_output(i, std::move(type))->set_name(std::move(name));
}

void Block::erase_input(std::size_t i) { param_->erase_output(i); }

void Block::append(Node* n) { n->place(this, nullptr); }
void Block::prepend(Node* n) { n->place(this, first_); }

Graph::Graph() : storage_(std::make_unique<Storage>()) {
    block_ = new_block(nullptr);
    insert_block_ = block_;
}
Graph::~Graph() = default;

Node* Graph::create(Symbol kind, std::vector<Value*> inputs, std::size_t outputs) {
    Node* n = &storage_->nodes.emplace_back();
    n->kind_ = kind;
    n->graph_ = this;
    n->range_ = range_;
    for (Value* v : inputs) {
        n->add_input(v);
    }
    for (std::size_t i = 0; i < outputs; ++i) {
        n->add_output();
    }
    return n;
}

Node* Graph::insert_node(Node* n) {
    n->place(insert_block_, insert_before_);
    return n;
}

Value* Graph::insert_constant(const IValue& value, TypePtr type, const SourceRange& range) {
    Node* n = create(prim::Constant);
    if (range.source) n->set_range(range);
    n->set("value", value);
    n->output()->set_type(type ? std::move(type) : type_of(value));
    return insert_node(n)->output();
}

void Graph::set_insert_point(Node* n) {
    insert_block_ = n->owning_block();
    if (n == insert_block_->param_node()) insert_before_ = insert_block_->first();
    else insert_before_ = n == insert_block_->return_node() ? nullptr : n;
}

void Graph::set_insert_point(Block* b) {
    insert_block_ = b;
    insert_before_ = nullptr;
}

Value* Graph::new_value(Node* node, std::size_t offset, TypePtr type) {
    Value* v = &storage_->values.emplace_back();
    v->node_ = node;
    v->offset_ = offset;
    v->type_ = std::move(type);
    return v;
}

Block* Graph::new_block(Node* owner) {
    Block* b = &storage_->blocks.emplace_back();
    b->graph_ = this;
    b->owner_ = owner;
    b->param_ = create(prim::Param, {}, 0);
    b->return_ = create(prim::Return, {}, 0);
    b->param_->block_ = b->return_->block_ = b;
    return b;
}

void Graph::free_node(Node* n) {
    n->attributes_.clear(); // constants may be large
    n->range_ = {};
}

namespace {
// A body of `fork` belongs to its node alone.
Attribute copy_attribute(const Attribute& a) {
    if (auto* graph = std::get_if<std::shared_ptr<Graph>>(&a)) return (*graph)->copy();
    return a;
}

Value* mapped(const std::unordered_map<const Value*, Value*>& map, const Value* v) {
    auto it = map.find(v);
    REEL_INTERNAL_ASSERT(it != map.end(), "a copied node uses %", v->name(), ", which is not copied");
    return it->second;
}
} // namespace

std::vector<Value*> Graph::copy_block_into(const Block& source, Block* to, Node* before,
                                           std::unordered_map<const Value*, Value*>& map) {
    for (const Node* n = source.first(); n; n = n->next()) {
        Node* c = create(n->kind(), {}, 0);
        for (const Value* v : n->inputs()) {
            c->add_input(mapped(map, v));
        }
        for (const Value* v : n->outputs()) {
            map[v] = c->add_output(v->type())->set_name(v->name());
        }
        for (const auto& [name, value] : n->attributes()) {
            c->set(name, copy_attribute(value));
        }
        c->op_ = n->op_;
        c->range_ = n->range_;
        c->scope_ = n->scope_;
        c->place(to, before);
        for (const Block* inner : n->blocks()) {
            Block* b = c->add_block();
            for (const Value* v : inner->inputs()) {
                map[v] = b->add_input(v->name(), v->type());
            }
            for (Value* v : copy_block_into(*inner, b, nullptr, map)) {
                b->add_output(v);
            }
        }
    }
    std::vector<Value*> results;
    for (const Value* v : source.outputs()) {
        results.push_back(mapped(map, v));
    }
    return results;
}

std::shared_ptr<Graph> Graph::copy() const {
    auto result = std::make_shared<Graph>();
    std::unordered_map<const Value*, Value*> map;
    for (const Value* v : inputs()) {
        map[v] = result->add_input(v->name(), v->type());
    }
    for (Value* v : result->copy_block_into(*block_, result->block_, nullptr, map)) {
        result->add_output(v);
    }
    return result;
}

} // namespace reel::jit
