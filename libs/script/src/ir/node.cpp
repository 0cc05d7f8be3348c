// Nodes: operands with their uses, outputs, blocks, attributes, and the place in a block.
#include <algorithm>

#include <reel/script/graph.hpp>

namespace reel::jit {

Graph* Value::graph() const { return node_->graph(); }

void Value::replace_all_uses_with(Value* other) {
    if (other == this) return;
    const std::vector<Use> uses = uses_;
    for (const Use& u : uses) {
        u.user->replace_input(u.offset, other);
    }
}

void Node::use(std::size_t i) { inputs_[i]->uses_.push_back({this, i}); }

void Node::unuse(std::size_t i) {
    std::vector<Use>& uses = inputs_[i]->uses_;
    for (std::size_t k = uses.size(); k-- > 0;) {
        if (uses[k].user != this || uses[k].offset != i) continue;
        uses.erase(uses.begin() + std::ptrdiff_t(k));
        return;
    }
    REEL_INTERNAL_ASSERT(false, "an operand of ", kind_.str(), " is not among the uses of its value");
}

void Node::shift_uses(std::size_t from, std::ptrdiff_t by) {
    // Backwards when they grow, so that no two uses look the same meanwhile.
    const auto shift = [&](std::size_t i) {
        for (Use& u : inputs_[i]->uses_) {
            if (u.user != this || u.offset != i) continue;
            u.offset = std::size_t(std::ptrdiff_t(i) + by);
            return;
        }
    };
    if (by > 0) {
        for (std::size_t i = inputs_.size(); i-- > from;) {
            shift(i);
        }
    } else {
        for (std::size_t i = from; i < inputs_.size(); ++i) {
            shift(i);
        }
    }
}

void Node::add_input(Value* v) {
    inputs_.push_back(v);
    use(inputs_.size() - 1);
}

void Node::insert_input(std::size_t i, Value* v) {
    shift_uses(i, 1);
    inputs_.insert(inputs_.begin() + std::ptrdiff_t(i), v);
    use(i);
}

void Node::replace_input(std::size_t i, Value* v) {
    unuse(i);
    inputs_[i] = v;
    use(i);
}

void Node::remove_input(std::size_t i) {
    unuse(i);
    shift_uses(i + 1, -1);
    inputs_.erase(inputs_.begin() + std::ptrdiff_t(i));
}

void Node::remove_all_inputs() {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
        unuse(i);
    }
    inputs_.clear();
}

Value* Node::add_output(TypePtr type) { return insert_output(outputs_.size(), std::move(type)); }

Value* Node::insert_output(std::size_t i, TypePtr type) {
    Value* v = graph_->new_value(this, i, std::move(type));
    outputs_.insert(outputs_.begin() + std::ptrdiff_t(i), v);
    for (std::size_t k = i + 1; k < outputs_.size(); ++k) {
        outputs_[k]->offset_ = k;
    }
    return v;
}

void Node::erase_output(std::size_t i) {
    REEL_INTERNAL_ASSERT(outputs_.at(i)->uses_.empty(), "output ", i, " of ", kind_.str(), " is used");
    outputs_.erase(outputs_.begin() + std::ptrdiff_t(i));
    for (std::size_t k = i; k < outputs_.size(); ++k) {
        outputs_[k]->offset_ = k;
    }
}

Block* Node::add_block() {
    blocks_.push_back(graph_->new_block(this));
    return blocks_.back();
}

void Node::erase_block(std::size_t i) {
    Block* b = blocks_.at(i);
    b->return_node()->remove_all_inputs();
    while (b->last()) {
        b->last()->destroy();
    }
    blocks_.erase(blocks_.begin() + std::ptrdiff_t(i));
}

Node* Node::set(std::string name, Attribute value) {
    for (auto& [known, old] : attributes_) {
        if (known != name) continue;
        old = std::move(value);
        return this;
    }
    attributes_.emplace_back(std::move(name), std::move(value));
    return this;
}

bool Node::has(std::string_view name) const {
    return std::any_of(attributes_.begin(), attributes_.end(), [&](const auto& a) { return a.first == name; });
}

const Attribute& Node::attribute(std::string_view name) const {
    for (const auto& [known, value] : attributes_) {
        if (known == name) return value;
    }
    REEL_THROW(AttributeError, "a node ", kind_.str(), " has no attribute '", name, "'");
}

void Node::place(Block* block, Node* before) {
    REEL_INTERNAL_ASSERT(!block_, "a node ", kind_.str(), " stands in a block already");
    block_ = block;
    next_ = before;
    prev_ = before ? before->prev_ : block->last_;
    (prev_ ? prev_->next_ : block->first_) = this;
    (next_ ? next_->prev_ : block->last_) = this;
}

void Node::unlink() {
    if (!block_) return;
    if (graph_->insert_before_ == this) graph_->insert_before_ = next_;
    (prev_ ? prev_->next_ : block_->first_) = next_;
    (next_ ? next_->prev_ : block_->last_) = prev_;
    block_ = nullptr;
    next_ = prev_ = nullptr;
}

Node* Node::insert_before(Node* other) {
    Block* b = other->block_;
    if (other == b->param_) place(b, b->first_);
    else place(b, other == b->return_ ? nullptr : other);
    return this;
}

Node* Node::insert_after(Node* other) {
    Block* b = other->block_;
    if (other == b->param_) place(b, b->first_);
    else place(b, other == b->return_ ? nullptr : other->next_);
    return this;
}

void Node::move_before(Node* other) {
    if (other == this) return;
    unlink();
    insert_before(other);
}

void Node::move_after(Node* other) {
    if (other == this) return;
    unlink();
    insert_after(other);
}

void Node::destroy() {
    for (const Value* v : outputs_) {
        REEL_INTERNAL_ASSERT(v->uses_.empty(), "an output of ", kind_.str(), " that is taken away is used");
    }
    while (!blocks_.empty()) {
        erase_block(blocks_.size() - 1);
    }
    remove_all_inputs();
    unlink();
    graph_->free_node(this);
}

bool Node::is_before(const Node* other) const {
    for (const Node* n = next_; n; n = n->next_) {
        if (n == other) return true;
    }
    return false;
}

} // namespace reel::jit
