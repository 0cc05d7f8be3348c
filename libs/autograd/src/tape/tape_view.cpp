// Walking the tape.
#include <reel/autograd/tape_view.hpp>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <unordered_set>

#include <reel/autograd/error.hpp>

#include "tape/accumulate_grad.hpp"
#include "tape/autograd_meta.hpp"
#include "tape/node_extras.hpp"
#include "tape/rule_node.hpp"

namespace reel::autograd {

namespace {

template <class Table> std::size_t count(const Table& table) {
    const auto records = table ? table->snapshot() : nullptr;
    return records ? records->size() : 0;
}

TapeNode::Hooks hooks_of(const Node& n) {
    TapeNode::Hooks h;
    if (n.is_accumulator())
        if (const AutogradMeta* meta = static_cast<const AccumulateGrad&>(n).variable().impl()->meta()) {
            h.tensor += count(meta->hooks);
            h.post_accumulate = count(meta->post_accumulate);
        }
    const NodeExtras* e = n.extras();
    if (!e) return h;
    for (const auto& output : e->tensor_hooks) h.tensor += count(output.table);
    h.retain_grad = e->retained.size();
    h.pre = count(e->pre);
    h.post = count(e->post);
    return h;
}

/// Describes what `n` saves; storages seen before are not added to the sums.
void add_saved(TapeNode& out, std::unordered_set<const void*>& all, std::size_t& total) {
    std::unordered_set<const void*> own;
    const std::vector<Tensor> saved = out.node->saved_tensors();
    for (std::size_t i = 0; i < saved.size(); ++i) {
        const Tensor& t = saved[i];
        if (!t.defined() && saved_was_absent(*out.node, i)) continue;
        TapeSaved s;
        s.released = !t.defined();
        if (t.defined()) {
            s.sizes = t.sizes();
            s.dtype = t.scalar_type();
            s.bytes = t.storage()->nbytes();
            const void* key = t.storage().get();
            if (own.insert(key).second) out.saved_bytes += s.bytes;
            if (all.insert(key).second) total += s.bytes;
        }
        out.saved.push_back(std::move(s));
    }
}

std::string shape_text(const InputMetadata& m) {
    if (m.dtype == ScalarType::Undefined) return "-";
    return str(dtype_name(m.dtype), IntArrayRef(m.sizes));
}
std::string bytes_text(std::size_t n) {
    if (n < 1024) return str(n, " B");
    const double kib = double(n) / 1024;
    const bool mib = kib >= 1024;
    const double v = std::round((mib ? kib / 1024 : kib) * 10) / 10;
    return str(v, mib ? " MiB" : " KiB");
}
std::string hooks_text(const TapeNode::Hooks& h) {
    std::string r;
    const auto add = [&](std::size_t n, const char* kind) {
        if (n) r += str(r.empty() ? "" : ", ", n, ' ', kind);
    };
    add(h.tensor, "tensor");
    add(h.retain_grad, "retain_grad");
    add(h.pre, "pre");
    add(h.post, "post");
    add(h.post_accumulate, "post-accumulate");
    return r;
}
std::string shapes_text(const TapeNode& n) {
    std::string r;
    for (const InputMetadata& m : n.outputs) r += (r.empty() ? "" : ", ") + shape_text(m);
    return r;
}
std::string escaped(const std::string& s) {
    std::string r;
    for (const char c : s) {
        if (c == '"' || c == '\\') r += '\\';
        r += c;
    }
    return r;
}

} // namespace

TapeView::TapeView(TensorList roots) {
    std::vector<NodePtr> found, stack;
    std::unordered_set<const Node*> seen;
    EdgeList edges;
    for (std::size_t i = 0; i < roots.size(); ++i) {
        REEL_CHECK(roots[i].defined(), "TapeView: root ", i, " is undefined");
        edges.push_back(gradient_edge(roots[i]));
        if (edges.back().is_valid() && seen.insert(edges.back().function.get()).second)
            stack.push_back(edges.back().function);
    }
    while (!stack.empty()) {
        const NodePtr n = std::move(stack.back());
        stack.pop_back();
        found.push_back(n);
        for (const Edge& e : n->next_edges())
            if (e.is_valid() && seen.insert(e.function.get()).second) stack.push_back(e.function);
    }
    std::sort(found.begin(), found.end(), [](const NodePtr& a, const NodePtr& b) {
        if (a->is_accumulator() != b->is_accumulator()) return b->is_accumulator();
        return a->sequence_nr() > b->sequence_nr();
    });
    for (std::size_t i = 0; i < found.size(); ++i) index_.emplace(found[i].get(), std::ptrdiff_t(i));
    for (const Edge& e : edges) roots_.push_back(e.is_valid() ? index_.at(e.function.get()) : -1);
    std::unordered_set<const void*> storages;
    for (NodePtr& n : found) {
        TapeNode t;
        t.name = n->name();
        for (const Edge& e : n->next_edges())
            t.inputs.push_back({e.is_valid() ? index_.at(e.function.get()) : -1, e.input_nr});
        for (std::uint32_t i = 0; i < n->num_inputs(); ++i) t.outputs.push_back(n->input_metadata(i));
        t.hooks = hooks_of(*n);
        t.module_path = n->module_path();
        t.creation_trace = n->creation_trace();
        t.node = std::move(n);
        add_saved(t, storages, saved_bytes_);
        nodes_.push_back(std::move(t));
    }
}

const TapeNode* TapeView::find(std::string_view name) const {
    const auto it = std::find_if(nodes_.begin(), nodes_.end(), [&](const TapeNode& n) { return n.name == name; });
    return it == nodes_.end() ? nullptr : &*it;
}

void TapeView::label(const Tensor& leaf, std::string name) {
    for (TapeNode& n : nodes_)
        if (n.is_leaf() && static_cast<const AccumulateGrad&>(*n.node).variable().is_same(leaf)) n.label = name;
}

std::string TapeView::text() const {
    std::string r;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const TapeNode& n = nodes_[i];
        r += str('#', i, ' ', n.name);
        if (!n.label.empty()) r += ' ' + n.label;
        r += '(';
        for (std::size_t k = 0; k < n.inputs.size(); ++k) {
            const TapeNode::Link& link = n.inputs[k];
            if (k) r += ", ";
            if (link.node < 0) r += '-';
            else r += link.slot ? str('#', link.node, ':', link.slot) : str('#', link.node);
        }
        r += ") -> " + shapes_text(n);
        if (!n.saved.empty()) r += str("  saved ", n.saved.size(), " (", bytes_text(n.saved_bytes), ')');
        if (const std::string hooks = hooks_text(n.hooks); !hooks.empty()) r += "  hooks: " + hooks;
        if (!n.module_path.empty()) r += "  in " + n.module_path;
        r += '\n';
    }
    return r + str(nodes_.size(), " nodes, ", bytes_text(saved_bytes_), " kept for backward\n");
}

std::string TapeView::dot() const {
    std::string r = "digraph tape {\n  rankdir=BT;\n  node [shape=box, fontname=\"monospace\"];\n";
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const TapeNode& n = nodes_[i];
        std::string label = escaped(n.name);
        if (!n.label.empty()) label += "\\n" + escaped(n.label);
        label += "\\n" + escaped(shapes_text(n));
        if (n.saved_bytes) label += "\\nsaved " + bytes_text(n.saved_bytes);
        if (const std::string hooks = hooks_text(n.hooks); !hooks.empty()) label += "\\nhooks: " + hooks;
        if (!n.module_path.empty()) label += "\\n" + escaped(n.module_path);
        r += str("  n", i, " [label=\"", label, '"', n.is_leaf() ? ", style=filled, fillcolor=lightblue" : "", "];\n");
    }
    // Arrows follow the forward data flow: from operand to result.
    for (std::size_t i = 0; i < nodes_.size(); ++i)
        for (const TapeNode::Link& link : nodes_[i].inputs)
            if (link.node >= 0)
                r += str("  n", link.node, " -> n", i, link.slot ? str(" [label=\"", link.slot, "\"]") : std::string(),
                         ";\n");
    return r + "}\n";
}

std::ostream& operator<<(std::ostream& os, const TapeView& view) { return os << view.text(); }

} // namespace reel::autograd
