// The intermediate form of a function: nodes in blocks, values between them. One concept with one text (`str`), which
// `parse_graph` reads back.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <reel/script/source.hpp>
#include <reel/script/symbol.hpp>
#include <reel/script/type.hpp>

namespace reel::jit {

class Block;
class Graph;
class Node;
class Operator;
class Value;

/// One use of a value: operand number `offset` of `user`; a block's results are the operands of its return node.
struct Use {
    Node* user;
    std::size_t offset;
};

/// What a node gives or a block takes. Values belong to their graph and are referred to by address. (At run time they
/// hold an `IValue`.)
class Value {
public:
    const TypePtr& type() const { return type_; }
    Value* set_type(TypePtr type) {
        type_ = std::move(type);
        return this;
    }
    /// The name in the program, without the number that makes it unique in print; empty when it has none.
    const std::string& name() const { return name_; }
    Value* set_name(std::string name) {
        name_ = std::move(name);
        return this;
    }
    Node* node() const { return node_; } ///< who gives it; for a block's inputs the block's param node
    std::size_t offset() const { return offset_; }
    Graph* graph() const;
    const std::vector<Use>& uses() const { return uses_; }
    void replace_all_uses_with(Value* other);

private:
    friend class Node;
    friend class Graph;
    Node* node_ = nullptr;
    std::size_t offset_ = 0;
    TypePtr type_;
    std::string name_;
    std::vector<Use> uses_;
};

/// An attribute of a node: `value` of a constant, `name` of an attribute or a method, `types` of `isinstance`,
/// `Subgraph` of `fork` (its inputs are the node's operands). A constant that is a function has `name` and `function`.
using Attribute = std::variant<IValue, std::vector<TypePtr>, std::shared_ptr<Graph>, Function*>;

/// One operation. Nodes stand in the order of their block.
class Node {
public:
    Symbol kind() const { return kind_; }
    Graph* graph() const { return graph_; }
    Block* owning_block() const { return block_; }
    Node* next() const { return next_; } ///< null behind the last
    Node* prev() const { return prev_; }

    const std::vector<Value*>& inputs() const { return inputs_; }
    Value* input(std::size_t i = 0) const { return inputs_.at(i); }
    void add_input(Value* v);
    void insert_input(std::size_t i, Value* v);
    void replace_input(std::size_t i, Value* v);
    void remove_input(std::size_t i);
    void remove_all_inputs();
    const std::vector<Value*>& outputs() const { return outputs_; }
    Value* output(std::size_t i = 0) const { return outputs_.at(i); }
    Value* add_output(TypePtr type = Type::Tensor());
    Value* insert_output(std::size_t i, TypePtr type = Type::Tensor());
    void erase_output(std::size_t i); ///< which nobody uses
    const std::vector<Block*>& blocks() const { return blocks_; }
    Block* block(std::size_t i) const { return blocks_.at(i); }
    Block* add_block();
    void erase_block(std::size_t i);

    /// Attributes in the order in which they were set.
    const std::vector<std::pair<std::string, Attribute>>& attributes() const { return attributes_; }
    Node* set(std::string name, Attribute value);
    bool has(std::string_view name) const;
    const Attribute& attribute(std::string_view name) const;
    const IValue& value(std::string_view name = "value") const { return std::get<IValue>(attribute(name)); }
    const std::string& text(std::string_view name = "name") const { return value(name).toStringRef(); }

    /// The operator that the call was matched to; null for the kinds that the interpreter knows itself.
    const Operator* op() const { return op_; }
    void set_op(const Operator* op) { op_ = op; }
    const SourceRange& range() const { return range_; }
    void set_range(SourceRange r) { range_ = std::move(r); }
    const std::string& scope() const { return scope_; } ///< `__module.conv` in traces
    void set_scope(std::string s) { scope_ = std::move(s); }

    Node* insert_before(Node* other); ///< this node, which stands nowhere yet
    Node* insert_after(Node* other);
    void move_before(Node* other);
    void move_after(Node* other);
    /// Takes the node out and away. Nobody may use its outputs.
    void destroy();
    bool is_before(const Node* other) const; ///< in one block

private:
    friend class Graph;
    friend class Block;
    void use(std::size_t i);   ///< tells the value that operand i is
    void unuse(std::size_t i); ///< takes that back
    void shift_uses(std::size_t from, std::ptrdiff_t by);
    void place(Block* block, Node* before); ///< null: at the end
    void unlink();
    Symbol kind_;
    Graph* graph_ = nullptr;
    Block* block_ = nullptr;
    Node *next_ = nullptr, *prev_ = nullptr;
    std::vector<Value*> inputs_, outputs_;
    std::vector<Block*> blocks_;
    std::vector<std::pair<std::string, Attribute>> attributes_;
    const Operator* op_ = nullptr;
    SourceRange range_;
    std::string scope_;
};

/// Nodes in order, with inputs and results.
class Block {
public:
    Graph* graph() const { return graph_; }
    Node* owning_node() const { return owner_; } ///< null for the graph's own
    const std::vector<Value*>& inputs() const { return param_->outputs(); }
    const std::vector<Value*>& outputs() const { return return_->inputs(); }
    Value* add_input(std::string name = {}, TypePtr type = Type::Tensor());
    Value* insert_input(std::size_t i, std::string name = {}, TypePtr type = Type::Tensor());
    void erase_input(std::size_t i);
    void add_output(Value* v) { return_->add_input(v); }
    void erase_output(std::size_t i) { return_->remove_input(i); }
    Node* param_node() const { return param_; }
    Node* return_node() const { return return_; }
    /// The first node; `for (Node* n = b->first(); n; n = n->next())`. Param and return node stand outside.
    Node* first() const { return first_; }
    Node* last() const { return last_; }
    void append(Node* n);
    void prepend(Node* n);

private:
    friend class Graph;
    friend class Node;
    Graph* graph_ = nullptr;
    Node* owner_ = nullptr;
    Node *param_ = nullptr, *return_ = nullptr, *first_ = nullptr, *last_ = nullptr;
};

/// A function's body.
class Graph {
public:
    Graph();
    ~Graph();
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;

    Block* block() const { return block_; }
    const std::vector<Value*>& inputs() const { return block_->inputs(); }
    const std::vector<Value*>& outputs() const { return block_->outputs(); }
    Value* add_input(std::string name = {}, TypePtr type = Type::Tensor()) {
        return block_->add_input(std::move(name), std::move(type));
    }
    void add_output(Value* v) { block_->add_output(v); }

    /// A node that stands nowhere yet, with `outputs` outputs of type Tensor.
    Node* create(Symbol kind, std::vector<Value*> inputs = {}, std::size_t outputs = 1);
    /// Puts a node at the insert point.
    Node* insert_node(Node* n);
    /// A `prim::Constant` at the insert point; the type is that of the value unless it is given (`T?` for None).
    Value* insert_constant(const IValue& value, TypePtr type = nullptr, const SourceRange& range = {});
    /// New nodes go before `n`, or to the end of `b`.
    void set_insert_point(Node* n);
    void set_insert_point(Block* b);
    Block* insert_block() const { return insert_block_; }
    Node* insert_before_node() const { return insert_before_; } ///< null: at the block's end
    const SourceRange& current_range() const { return range_; }
    void set_current_range(SourceRange r) { range_ = std::move(r); }

    std::shared_ptr<Graph> copy() const;
    /// Copies `source`'s nodes into `to` (its inputs stand for `map`); returns what its results became.
    std::vector<Value*> copy_block_into(const Block& source, Block* to, Node* before,
                                        std::unordered_map<const Value*, Value*>& map);
    std::string str(bool with_source_ranges = true) const; ///< rules SC-60 to SC-65
    /// Uses, owners and blocks agree, each value is given before it is used. Throws Error naming the node.
    void verify() const;

private:
    friend class Node;
    friend class Block;
    Value* new_value(Node* node, std::size_t offset, TypePtr type);
    Block* new_block(Node* owner);
    void free_node(Node* n);
    struct Storage;
    std::unique_ptr<Storage> storage_;
    Block* block_ = nullptr;
    Block* insert_block_ = nullptr;
    Node* insert_before_ = nullptr;
    SourceRange range_;
};

/// Reads what `Graph::str` prints. Classes, functions and interfaces are looked up in `unit` (null: there are none).
std::shared_ptr<Graph> parse_graph(std::string_view text, CompilationUnit* unit = nullptr);
/// The graph as rule SC-120 compares it: constants in place, values renumbered, no source.
std::string canonical(const Graph& graph);
/// The same of a text that another implementation printed.
std::string canonical_text(std::string_view graph);

} // namespace reel::jit
