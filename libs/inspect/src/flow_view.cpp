// Drawing one backward pass.
#include <reel/inspect/flow_view.hpp>
#include <reel/inspect/html.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "recorder_data.hpp"

namespace reel::inspect {

using Mark = FlowView::Mark;

namespace {
/// The latest backward pass: its nodes in the order of their runs, and what each saw.
class LatestPass {
public:
    explicit LatestPass(const RecorderData& data) : data_(data), step_(data.latest_step()) {}

    /// Null where the pass did not come.
    const RecorderData::NodeRun* run_of(const Node* n) const {
        const auto run = data_.runs.find(n);
        return run != data_.runs.end() && run->second.at >= step_.pass->begin ? &run->second : nullptr;
    }
    std::vector<const Node*> nodes() const;

private:
    const RecorderData& data_;
    RecorderData::LatestStep step_;
};

std::vector<const Node*> LatestPass::nodes() const {
    struct Ordered {
        std::uint64_t at;
        const Node* node;
    };
    std::vector<Ordered> order;
    // Accumulators, and more, may be older than the recording.
    for (const auto& [node, run] : data_.runs)
        if (run_of(node)) order.push_back({run.at, node});
    // What forward made for this pass and was not reached comes last, latest first.
    for (std::size_t i = step_.first_node; i < step_.pass->nodes_before; ++i)
        if (const Node* n = data_.nodes[i].get(); !data_.runs.count(n))
            order.push_back({~std::uint64_t(0) - data_.made_at[i], n});
    std::sort(order.begin(), order.end(), [](const Ordered& a, const Ordered& b) { return a.at < b.at; });
    std::vector<const Node*> sorted;
    for (const Ordered& o : order) sorted.push_back(o.node);
    return sorted;
}
} // namespace

FlowView flow_view(const Recorder& recorder, const FlowOptions& options) {
    const RecorderData& data = recorder.data();
    data.look_again();
    REEL_CHECK_VALUE(!data.runs.empty(), "flow_view: the recorder saw no backward pass; open it before forward and ask "
                                         "after backward");
    REEL_CHECK_VALUE(data.options.norms, "flow_view: the recorder kept no norms; open it with norms = true");
    const LatestPass pass(data);
    const std::vector<const Node*> order = pass.nodes();
    REEL_CHECK_VALUE(order.size() <= options.max_nodes, "flow_view: ", order.size(),
                     " nodes belong to the latest backward pass; at most ", options.max_nodes,
                     " are drawn. Record a smaller part, or raise max_nodes");
    const auto mark_of = [&](double norm) {
        if (!std::isfinite(norm) || norm >= options.exploding) return Mark::Exploding;
        return norm <= options.dead ? Mark::Dead : Mark::Fine;
    };
    FlowView view;
    std::unordered_map<const Node*, std::size_t> index;
    for (const Node* node : order) {
        FlowView::FlowNode n;
        n.name = node->name();
        n.module_path = node->module_path();
        if (const Tensor leaf = autograd::leaf_of(*node); leaf.defined()) n.leaf = data.name_of(leaf.impl().get());
        const auto* run = pass.run_of(node);
        if (!run) n.mark = Mark::NotReached;
        else {
            double sum = 0;
            for (std::size_t i = 0; i < run->norms.size(); ++i)
                if (run->arrived[i]) sum += run->norms[i] * run->norms[i];
            n.norm = std::sqrt(sum);
            n.mark = mark_of(n.norm);
        }
        index.emplace(node, view.nodes.size());
        view.nodes.push_back(std::move(n));
    }
    for (const Node* node : order)
        for (const autograd::Edge& e : node->next_edges()) {
            const auto to = e.is_valid() ? index.find(e.function.get()) : index.end();
            if (to == index.end()) continue;
            FlowView::FlowEdge edge{index.at(node), to->second};
            const auto* run = pass.run_of(e.function.get());
            if (!run || !pass.run_of(node)) edge.mark = Mark::NotReached;
            else {
                const auto& r = *run;
                edge.norm = e.input_nr < r.norms.size() && r.arrived[e.input_nr] ? r.norms[e.input_nr] : 0;
                edge.mark = mark_of(edge.norm);
            }
            view.edges.push_back(edge);
        }
    return view;
}

std::size_t FlowView::count(Mark mark) const {
    return std::size_t(std::count_if(nodes.begin(), nodes.end(), [&](const FlowNode& n) { return n.mark == mark; }));
}

namespace {

/// 0.6 to 8, by the logarithm of the norm.
double width_of(double norm) {
    if (!std::isfinite(norm)) return 8;
    if (norm <= 0) return 0.6;
    return std::clamp(3 + std::log10(norm), 0.6, 8.0);
}
const char* colour_of(Mark mark) {
    switch (mark) {
    case Mark::Fine:
        return "#4a7ab5";
    case Mark::Dead:
        return "#9a9a9a";
    case Mark::Exploding:
        return "#d03030";
    case Mark::NotReached:
        return "#d8d8d8";
    }
    return "";
}
const char* word_of(Mark mark) {
    switch (mark) {
    case Mark::Fine:
        return "";
    case Mark::Dead:
        return "dead";
    case Mark::Exploding:
        return "exploding";
    case Mark::NotReached:
        return "not reached";
    }
    return "";
}
std::string number_text(double v) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", v);
    return text;
}
std::string for_dot(const std::string& s) {
    std::string r;
    for (const char c : s) {
        if (c == '"' || c == '\\') r += '\\';
        r += c;
    }
    return r;
}
std::string label_of(const FlowView::FlowNode& n) { return n.leaf.empty() ? n.name : n.leaf; }

} // namespace

std::string FlowView::dot() const {
    std::string r = "digraph flow {\n  node [shape=box, style=filled, fontname=\"monospace\"];\n";
    std::map<std::string, std::vector<std::size_t>> clusters;
    for (std::size_t i = 0; i < nodes.size(); ++i) clusters[nodes[i].module_path].push_back(i);
    std::size_t number = 0;
    for (const auto& [path, members] : clusters) {
        if (!path.empty())
            r += str("  subgraph cluster_", number++, " {\n    label=\"", for_dot(path),
                     "\";\n    color=\"#888888\";\n");
        for (const std::size_t i : members) {
            const FlowNode& n = nodes[i];
            r += str("  n", i, " [label=\"", for_dot(label_of(n)), "\\n",
                     n.mark == Mark::NotReached ? std::string("not reached") : number_text(n.norm),
                     n.mark == Mark::Dead || n.mark == Mark::Exploding ? str(' ', word_of(n.mark)) : "",
                     "\", fillcolor=\"", n.mark == Mark::Fine ? "#ffffff" : colour_of(n.mark), "\"];\n");
        }
        if (!path.empty()) r += "  }\n";
    }
    for (const FlowEdge& e : edges)
        r += str("  n", e.from, " -> n", e.to, " [penwidth=", number_text(width_of(e.norm)), ", color=\"",
                 colour_of(e.mark), "\", tooltip=\"", number_text(e.norm), "\"",
                 e.mark == Mark::NotReached ? ", style=dashed" : "", "];\n");
    return r + "}\n";
}

namespace {
/// One row for each module: how many of its nodes are there and marked, its smallest and largest norm.
std::string table_of_modules(const std::vector<FlowView::FlowNode>& nodes) {
    struct Sum {
        std::size_t nodes = 0, bad = 0;
        double largest = 0, smallest = -1;
    };
    std::map<std::string, Sum> modules;
    for (const FlowView::FlowNode& n : nodes) {
        Sum& s = modules[n.module_path];
        ++s.nodes;
        s.bad += n.mark != Mark::Fine;
        if (n.mark == Mark::NotReached) continue;
        s.largest = std::isfinite(n.norm) ? std::max(s.largest, n.norm) : n.norm;
        s.smallest = s.smallest < 0 ? n.norm : std::min(s.smallest, n.norm);
    }
    std::string table;
    for (const auto& [path, s] : modules)
        table += str("<tr", s.bad ? " class=\"bad\"" : "", "><td>",
                     path.empty() ? "(outside of modules)" : escaped_html(path), "</td><td>", s.nodes, "</td><td>",
                     s.smallest < 0 ? "" : number_text(s.smallest), "</td><td>",
                     s.smallest < 0 ? "" : number_text(s.largest), "</td><td>", s.bad, "</td></tr>\n");
    return table;
}
} // namespace

std::string FlowView::html(const std::string& title) const {
    constexpr int row = 30, left = 340, box = 300, top = 20;
    const auto y = [&](std::size_t i) { return top + int(i) * row; };
    std::string svg, bands;
    // One band for every run of neighbours of the same module.
    for (std::size_t i = 0; i < nodes.size();) {
        std::size_t end = i;
        while (end < nodes.size() && nodes[end].module_path == nodes[i].module_path) ++end;
        if (!nodes[i].module_path.empty())
            bands += str("<g><rect class=\"band\" x=\"10\" y=\"", y(i) - 3, "\" width=\"", left + box, "\" height=\"",
                         int(end - i) * row - 2, "\"/><text x=\"20\" y=\"", y(i) + 14, "\">",
                         escaped_html(nodes[i].module_path), "</text></g>\n");
        i = end;
    }
    for (const FlowEdge& e : edges) {
        const int a = y(e.from) + 11, b = y(e.to) + 11, x = left + box, bend = 30 + std::min(400, std::abs(b - a) / 2);
        svg += str("<path d=\"M", x, ' ', a, " C", x + bend, ' ', a, ' ', x + bend, ' ', b, ' ', x, ' ', b,
                   "\" stroke=\"", colour_of(e.mark), "\" stroke-width=\"", number_text(width_of(e.norm)), "\"",
                   e.mark == Mark::NotReached ? " stroke-dasharray=\"4 3\"" : "", "><title>",
                   escaped_html(label_of(nodes[e.from])), " to ", escaped_html(label_of(nodes[e.to])), ": norm ",
                   number_text(e.norm), "</title></path>\n");
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const FlowNode& n = nodes[i];
        svg += str("<g><rect x=\"", left, "\" y=\"", y(i), "\" width=\"", box, "\" height=\"22\" rx=\"4\" fill=\"",
                   n.mark == Mark::Fine ? "#ffffff" : colour_of(n.mark), "\" stroke=\"#555\"/><text x=\"", left + 8,
                   "\" y=\"", y(i) + 15, "\">", escaped_html(label_of(n)), "  ",
                   n.mark == Mark::NotReached ? std::string() : number_text(n.norm), ' ', word_of(n.mark),
                   "</text></g>\n");
    }
    return str("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>", escaped_html(title),
               "</title>\n<style>body{font:14px sans-serif;margin:2em}svg text{font:12px monospace}"
               ".band{fill:#f0f4fa;stroke:#c5d0e0}path{fill:none;opacity:.8}td,th{padding:2px 12px;text-align:left}"
               ".bad td{color:#b02020}</style></head>\n<body><h1>",
               escaped_html(title), "</h1>\n<p>", nodes.size(), " nodes: ", count(Mark::Dead), " dead, ",
               count(Mark::Exploding), " exploding, ", count(Mark::NotReached),
               " not reached. Gradients flow down; an edge is as wide as the logarithm of its norm. Blue: fine, grey: "
               "dead, red: exploding, dashed: not reached.</p>\n<table><tr><th>module</th><th>nodes</th><th>smallest "
               "norm</th><th>largest norm</th><th>marked</th></tr>\n",
               table_of_modules(nodes), "</table>\n<svg width=\"", left + box + 450, "\" height=\"",
               y(nodes.size()) + top, "\">\n", bands, svg, "</svg>\n</body></html>\n");
}

} // namespace reel::inspect
