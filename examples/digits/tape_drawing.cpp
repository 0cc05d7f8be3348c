// A layered drawing of the tape: each node below all nodes that use it.
#include <algorithm>
#include <map>

#include <reel/autograd/tape_view.hpp>

#include "report.hpp"
#include "svg.hpp"

namespace digits {

using namespace reel;

namespace {
std::string shape_text(IntArrayRef sizes) {
    std::string r;
    for (const std::int64_t n : sizes) r += (r.empty() ? "" : "×") + std::to_string(n);
    return r.empty() ? "scalar" : r;
}
std::string point(double x, double y) { return std::to_string(int(x)) + " " + std::to_string(int(y)); }
} // namespace

std::string tape_drawing(const Tensor& loss, nn::Module& net) {
    autograd::TapeView tape(loss);
    for (const auto& p : net.named_parameters()) tape.label(p.value(), p.key());
    const std::size_t n = tape.size();
    // Nodes come in the order in which backward runs them, so users stand before what they use.
    std::vector<int> layer(n, 0);
    int layers = 0;
    for (std::size_t i = 0; i < n; ++i) {
        layers = std::max(layers, layer[i] + 1);
        for (const auto& link : tape[i].inputs)
            if (link.node >= 0) layer[std::size_t(link.node)] = std::max(layer[std::size_t(link.node)], layer[i] + 1);
    }
    // The chain of ops keeps the first column; leaves stand to its right.
    std::map<int, std::vector<std::size_t>> rows;
    for (const bool leaves : {false, true})
        for (std::size_t i = 0; i < n; ++i)
            if (tape[i].is_leaf() == leaves) rows[layer[i]].push_back(i);
    constexpr double box_w = 172, box_h = 36, gap_x = 26, gap_y = 22, margin = 8;
    std::size_t widest = 1;
    for (const auto& [at, nodes] : rows) widest = std::max(widest, nodes.size());
    std::vector<std::pair<double, double>> corner(n);
    for (const auto& [at, nodes] : rows)
        for (std::size_t k = 0; k < nodes.size(); ++k) {
            // A row of nothing but leaves leaves the op column free.
            const double column = double(k) + (tape[nodes[0]].is_leaf() ? 1 : 0);
            corner[nodes[k]] = {margin + column * (box_w + gap_x), margin + at * (box_h + gap_y)};
        }
    double width = 0;
    for (const auto& [x, y] : corner) width = std::max(width, x + box_w + margin);
    Svg svg(width, margin * 2 + layers * (box_h + gap_y) - gap_y, "The tape of one training step");
    for (std::size_t i = 0; i < n; ++i)
        for (const auto& link : tape[i].inputs) {
            if (link.node < 0) continue;
            const auto [x1, y1] = corner[i];
            const auto [x2, y2] = corner[std::size_t(link.node)];
            const double sx = x1 + box_w / 2, sy = y1 + box_h, tx = x2 + box_w / 2, ty = y2,
                         bend = std::min((ty - sy) / 2 + 6, 40.0);
            svg.path("M" + point(sx, sy) + "C" + point(sx, sy + bend) + " " + point(tx, ty - bend) + " " +
                         point(tx, ty),
                     "class=\"edge\"");
        }
    for (std::size_t i = 0; i < n; ++i) {
        const auto& node = tape[i];
        const auto [x, y] = corner[i];
        std::string shapes;
        for (const auto& o : node.outputs) shapes += (shapes.empty() ? "" : ", ") + shape_text(o.sizes);
        svg.rect(x, y, box_w, box_h, node.is_leaf() ? "rx=\"6\" class=\"leaf\"" : "rx=\"6\" class=\"node\"",
                 node.name + ", keeps " + std::to_string(node.saved_bytes) + " bytes for backward");
        svg.text(x + box_w / 2, y + 15, node.label.empty() ? node.name : node.label,
                 "class=\"name\" text-anchor=\"middle\"");
        svg.text(x + box_w / 2, y + 29, shapes, "class=\"shape\" text-anchor=\"middle\"");
    }
    return svg.str();
}

} // namespace digits
