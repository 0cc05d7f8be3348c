// What must hold of every graph.
#include <algorithm>
#include <unordered_set>

#include <reel/script/graph.hpp>

namespace reel::jit {

namespace {

class Verifier {
public:
    explicit Verifier(const Graph& graph) : graph_(graph) {}
    void block(const Block& b, const Node* owner) {
        node_ = owner;
        check(b.graph() == &graph_, "a block belongs to another graph");
        check(b.owning_node() == owner, "a block names another node as its owner");
        std::vector<const Value*> given; // here; nobody outside may use them
        outputs(*b.param_node(), given);
        const Node* before = nullptr;
        for (const Node* n = b.first(); n; n = n->next()) {
            node_ = n;
            check(n->owning_block() == &b && n->prev() == before, "it does not stand where its block has it");
            before = n;
            operands(*n);
            for (const Block* inner : n->blocks()) {
                block(*inner, n);
                node_ = n;
            }
            shape(*n);
            outputs(*n, given);
        }
        check(b.last() == before, "its block ends elsewhere");
        node_ = b.return_node();
        operands(*b.return_node());
        for (const Value* v : given) {
            visible_.erase(v);
        }
    }

private:
    void check(bool holds, const char* what) {
        if (holds) return;
        REEL_THROW(Error, "invalid graph: ", node_ ? node_->kind().str() : std::string("the body"), ": ", what);
    }

    void operands(const Node& n) {
        check(n.graph() == &graph_, "a node belongs to another graph");
        for (std::size_t i = 0; i < n.inputs().size(); ++i) {
            const Value* v = n.input(i);
            check(visible_.contains(v), "an operand is not given before it is used");
            check(std::any_of(v->uses().begin(), v->uses().end(),
                              [&](const Use& u) { return u.user == &n && u.offset == i; }),
                  "an operand does not know of this use");
        }
    }

    void outputs(const Node& n, std::vector<const Value*>& given) {
        for (std::size_t i = 0; i < n.outputs().size(); ++i) {
            const Value* v = n.output(i);
            check(v->node() == &n && v->offset() == i, "an output names another node as its giver");
            check(v->type() != nullptr, "an output has no type");
            for (const Use& u : v->uses()) {
                check(u.offset < u.user->inputs().size() && u.user->input(u.offset) == v,
                      "an output has a use that is none");
            }
            visible_.insert(v);
            given.push_back(v);
        }
    }

    void shape(const Node& n) {
        if (n.kind() == prim::If) {
            check(n.inputs().size() == 1 && n.blocks().size() == 2, "expected one condition and two blocks");
            for (const Block* b : n.blocks()) {
                check(b->inputs().empty() && b->outputs().size() == n.outputs().size(),
                      "expected blocks without inputs and with one result per output");
            }
        } else if (n.kind() == prim::Loop) {
            check(n.blocks().size() == 1 && n.inputs().size() == n.outputs().size() + 2,
                  "expected one block, a trip count, a condition and one value per output");
            check(n.block(0)->inputs().size() == n.outputs().size() + 1 &&
                      n.block(0)->outputs().size() == n.outputs().size() + 1,
                  "expected a block with the trip's number and one input per output, and as many results");
        } else if (n.kind() == prim::Constant) {
            check(n.inputs().empty() && n.outputs().size() == 1, "expected one output and no operand");
            check(n.has("value") || n.has("function"), "expected a value");
        }
    }

    const Graph& graph_;
    const Node* node_ = nullptr;
    std::unordered_set<const Value*> visible_;
};

} // namespace

void Graph::verify() const { Verifier(*this).block(*block_, nullptr); }

} // namespace reel::jit
