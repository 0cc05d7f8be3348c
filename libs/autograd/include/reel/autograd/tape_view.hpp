// Looking at the tape: which nodes stand behind a tensor, how they are linked, what they hold, who listens.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <unordered_map>
#include <vector>

#include <reel/autograd/node.hpp>

namespace reel::autograd {

/// A tensor that a node keeps for its backward.
struct TapeSaved {
    Dims sizes;
    ScalarType dtype = ScalarType::Undefined;
    std::size_t bytes = 0; ///< of the memory behind it, which several savings may share
    bool released = false; ///< gone, or handed to a pack hook
};

/// One node of a TapeView.
struct TapeNode {
    struct Link {
        std::ptrdiff_t node = -1; ///< index in the view; -1: the operand needs no gradient
        std::uint32_t slot = 0;
    };
    struct Hooks {
        std::size_t tensor = 0, retain_grad = 0, pre = 0, post = 0, post_accumulate = 0;
        std::size_t total() const { return tensor + retain_grad + pre + post + post_accumulate; }
    };
    NodePtr node;
    std::string name;
    std::string label;                  ///< a leaf's name, if it was given
    std::vector<Link> inputs;           ///< per operand of the forward op: where its gradient goes
    std::vector<InputMetadata> outputs; ///< what the forward op made
    std::vector<TapeSaved> saved;
    std::size_t saved_bytes = 0; ///< memory that the savings keep alive, each storage once
    Hooks hooks;
    std::string module_path;    ///< of the module that was running, when that was recorded
    std::string creation_trace; ///< of the forward op, when anomaly mode was on
    bool is_leaf() const { return node->is_accumulator(); }
};

/// A walk over the tape from one or several tensors: nodes by decreasing sequence number, as backward would run them,
/// accumulators of leaves at the end. The view keeps the nodes alive; later changes of the tape do not show in it.
class TapeView {
public:
    explicit TapeView(TensorList roots);
    explicit TapeView(const Tensor& root) : TapeView(TensorList(&root, 1)) {}

    const std::vector<TapeNode>& nodes() const { return nodes_; }
    std::size_t size() const { return nodes_.size(); }
    const TapeNode& operator[](std::size_t i) const { return nodes_[i]; }
    /// Index of the node that made root `i`.
    std::ptrdiff_t root(std::size_t i) const { return roots_[i]; }
    /// First node with this name (`MulBackward0`), null when there is none.
    const TapeNode* find(std::string_view name) const;
    /// Memory that the whole tape keeps alive for backward, each storage once.
    std::size_t saved_bytes() const { return saved_bytes_; }
    /// Names leaves in the output: pass a module's named parameters.
    void label(const Tensor& leaf, std::string name);

    /// One line per node: index, name, operands, output shapes, bytes, hooks, module path.
    std::string text() const;
    /// A graph for `dot -Tsvg`.
    std::string dot() const;

private:
    std::vector<TapeNode> nodes_;
    std::vector<std::ptrdiff_t> roots_;
    std::unordered_map<const Node*, std::ptrdiff_t> index_;
    std::size_t saved_bytes_ = 0;
};
std::ostream& operator<<(std::ostream& os, const TapeView& view);

/// Nodes made on this thread while it lives carry `path` (`Node::module_path`); an inner scope replaces the outer one.
class TapePathScope {
public:
    explicit TapePathScope(std::string path);
    ~TapePathScope();
    TapePathScope(const TapePathScope&) = delete;

private:
    std::string path_;
    const std::string* previous_;
};

} // namespace reel::autograd
