// Products by their shapes.
#include "backward_flops.hpp"

#include <cstring>
#include <optional>
#include <string_view>

namespace reel::inspect {

using autograd::TapeNode;
using autograd::TapeView;

namespace {

double numel(IntArrayRef sizes) {
    double n = 1;
    for (const std::int64_t s : sizes) n *= double(s);
    return n;
}
bool starts(const TapeNode& node, const char* s) { return node.name.rfind(s, 0) == 0; }

/// A layer of an LSTM, a GRU or a plain RNN, or one step of it: `rows` inputs of all steps.
struct Recurrent {
    double rows, gates, input, hidden, output;
};
std::optional<Recurrent> recurrent(const TapeNode& node) {
    const bool lstm = starts(node, "Lstm"), gru = starts(node, "Gru");
    if (!lstm && !gru && !starts(node, "RnnTanh") && !starts(node, "RnnRelu")) return {};
    const std::size_t w = lstm ? 3 : 2; // saved are input, h0 (and c0), w_ih, w_hh, ...
    if (node.saved.size() < w + 2 || node.outputs.empty() || node.outputs[0].sizes.size() != 2) return {};
    const Dims &w_ih = node.saved[w].sizes, &w_hh = node.saved[w + 1].sizes;
    if (w_ih.size() != 2 || w_hh.size() != 2) return {};
    return Recurrent{double(node.outputs[0].sizes[0]), double(w_ih[0]), double(w_ih[1]),
                     double(w_ih[0]) / (lstm  ? 4
                                        : gru ? 3
                                              : 1),
                     double(w_hh[1])};
}
double flops_of_recurrent(const Recurrent& r, std::size_t edge, double own) {
    switch (edge) { // input, h0, c0, w_ih, w_hh, b_ih, b_hh, w_hr
    case 0:
    case 3:
        return 2 * r.rows * r.gates * r.input;
    case 4:
        return 2 * r.rows * r.gates * r.output;
    case 5:
    case 6:
        return r.rows * r.gates;
    case 7:
        return 2 * r.rows * r.hidden * r.output;
    default:
        return own;
    }
}

/// Passes gradients on, or puts them elsewhere.
bool moves_only(const TapeNode& node) {
    for (const char* s :
         {"BackwardHookGate", "View", "UnsafeView", "Reshape", "Alias", "Clone", "Transpose", "Permute", "T", "Squeeze",
          "Unsqueeze", "Select", "Slice", "Narrow", "Split", "Chunk", "Unbind", "Cat", "Stack"})
        if (const std::size_t n = std::strlen(s);
            starts(node, s) && std::string_view(node.name).substr(n).starts_with("Backward"))
            return true;
    return false;
}

} // namespace

double flops_of_node(const TapeNode& node) {
    const auto r = recurrent(node);
    if (!r) return 0;
    // The gates' derivatives, and each step's way back to the state before it, through the projection where there is
    // one.
    return r->rows *
           (4 * r->gates + 2 * r->gates * r->output + (r->output == r->hidden ? 0 : 2 * r->hidden * r->output));
}

namespace {
using Sizes = std::optional<IntArrayRef>;
}

double flops_of_edge(const TapeView& view, const TapeNode& node, std::size_t edge) {
    const auto operand = [&](std::size_t i) -> Sizes {
        if (i < node.inputs.size() && node.inputs[i].node >= 0) {
            const TapeNode& from = view[std::size_t(node.inputs[i].node)];
            if (node.inputs[i].slot < from.outputs.size()) return from.outputs[node.inputs[i].slot].sizes;
        }
        return std::nullopt;
    };
    const double out = node.outputs.empty() ? 0 : numel(node.outputs[0].sizes);
    if (moves_only(node)) return 0;
    const bool linear = starts(node, "Linear"), conv = starts(node, "Conv");
    const bool product = starts(node, "Matmul") || starts(node, "Mm") || starts(node, "Bmm") || starts(node, "Mv") ||
                         starts(node, "Dot");
    const bool with_sum =
        starts(node, "Addmm") || starts(node, "Baddbmm") || starts(node, "Addbmm") || starts(node, "Addmv");
    const Sizes own = operand(edge);
    const double plain = own ? numel(*own) : out;
    if (const auto r = recurrent(node)) return flops_of_recurrent(*r, edge, plain);
    if (linear || conv) {
        if (own && own->size() == 1) return out; // the bias: a sum
        // Rows times columns: input and weight both end with what the sum runs over.
        if (linear && own && !own->empty())
            for (std::size_t i = 0; i < node.inputs.size(); ++i)
                if (const Sizes x = operand(i); x && x->size() > 1) return 2 * out * double(x->back());
        Sizes input = operand(0), weight = operand(1);
        for (const auto& s : node.saved) { // what is not on the tape is saved
            if (s.released || node.outputs.empty() || s.sizes.size() != node.outputs[0].sizes.size()) continue;
            if (!weight && !(input && IntArrayRef(s.sizes).equals(*input))) weight = s.sizes;
            else if (!input && !(weight && IntArrayRef(s.sizes).equals(*weight))) input = s.sizes;
        }
        if (!weight || weight->empty() || (*weight)[0] == 0) return plain;
        // Transposed, the weight's first dimension is that of the input.
        if (starts(node, "ConvTranspose") && !input) return plain;
        const double elements = starts(node, "ConvTranspose") ? numel(*input) : out;
        return 2 * elements * numel(*weight) / double((*weight)[0]);
    }
    if (product || with_sum) {
        const std::size_t first = with_sum ? 1 : 0;
        if (edge < first) return out;
        Sizes x = operand(first);
        if (!x)
            for (const auto& s : node.saved)
                if (!s.released && !s.sizes.empty()) x = s.sizes;
        return x && !x->empty() ? 2 * out * double(x->back()) : plain;
    }
    return plain;
}

} // namespace reel::inspect
