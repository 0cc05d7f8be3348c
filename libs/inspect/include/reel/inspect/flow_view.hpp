// How gradients flow: a picture of one backward pass.
#pragma once

#include <string>
#include <vector>

#include <reel/inspect/recorder.hpp>

namespace reel::inspect {

/// What counts as dead and as exploding.
struct FlowOptions {
    double dead = 1e-12;    ///< a gradient norm of at most this
    double exploding = 1e4; ///< a norm of at least this; NaN and infinity always are
    std::size_t max_nodes = 2000;
};

/// The nodes of the latest backward pass that a Recorder saw, with the norms of the gradients between them.
struct FlowView {
    enum class Mark { Fine, Dead, Exploding, NotReached };
    struct FlowNode {
        std::string name, module_path, leaf; ///< `leaf`: name of the parameter that an accumulator fills
        double norm = 0;                     ///< of all that arrived
        Mark mark = Mark::Fine;
    };
    struct FlowEdge {
        std::size_t from, to; ///< as the gradient flows
        double norm = 0;      ///< of what arrived at `to` in that slot
        Mark mark = Mark::Fine;
    };
    std::vector<FlowNode> nodes; ///< in the order of backward
    std::vector<FlowEdge> edges;
    std::size_t count(Mark mark) const; ///< of nodes
    /// A graph for `dot -Tsvg`: one cluster per module, edges as wide as the logarithm of their norm, marks in colour.
    std::string dot() const;
    /// The same as one page without outside parts: an SVG, a legend, a table of norms by module.
    std::string html(const std::string& title = "Gradient flow") const;
};

/// Throws ValueError when the recorder saw no backward pass or kept no norms, and for more than `max_nodes` nodes.
FlowView flow_view(const Recorder& recorder, const FlowOptions& options = {});

} // namespace reel::inspect
