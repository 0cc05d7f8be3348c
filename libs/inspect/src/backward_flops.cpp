// Products by their shapes.
#include "backward_flops.hpp"

#include <optional>

namespace reel::inspect {

using autograd::TapeNode;
using autograd::TapeView;
using autograd::Work;

namespace {

double numel(IntArrayRef sizes) {
    double n = 1;
    for (const std::int64_t s : sizes) n *= double(s);
    return n;
}

/// A layer of an LSTM, a GRU or a plain RNN, or one step of it: `rows` inputs of all steps.
struct Recurrent {
    double rows, gates, input, hidden, output;
};
std::optional<Recurrent> recurrent(const TapeNode& node) {
    const Work work = node.node->work();
    if (work != Work::kLstm && work != Work::kGru && work != Work::kRnn) return {};
    const double blocks = work == Work::kLstm ? 4 : work == Work::kGru ? 3 : 1;
    const std::size_t w = work == Work::kLstm ? 3 : 2; // saved are input, h0 (and c0), w_ih, w_hh, ...
    if (node.saved.size() < w + 2 || node.outputs.empty() || node.outputs[0].sizes.size() != 2) return {};
    const Dims &w_ih = node.saved[w].sizes, &w_hh = node.saved[w + 1].sizes;
    if (w_ih.size() != 2 || w_hh.size() != 2) return {};
    return Recurrent{double(node.outputs[0].sizes[0]), double(w_ih[0]), double(w_ih[1]), double(w_ih[0]) / blocks,
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

/// What a node was made of, as far as the tape or what it saved tells.
class Operands {
public:
    Operands(const TapeView& view, const TapeNode& node) : view_(view), node_(node) {}
    Sizes operator[](std::size_t i) const {
        if (i >= node_.inputs.size() || node_.inputs[i].node < 0) return std::nullopt;
        const TapeNode& from = view_[std::size_t(node_.inputs[i].node)];
        if (node_.inputs[i].slot >= from.outputs.size()) return std::nullopt;
        return from.outputs[node_.inputs[i].slot].sizes;
    }
    /// Both operands of a layer with a weight: what is not on the tape is saved.
    std::pair<Sizes, Sizes> input_and_weight() const {
        Sizes input = (*this)[0], weight = (*this)[1];
        for (const auto& s : node_.saved) {
            if (s.released || node_.outputs.empty() || s.sizes.size() != node_.outputs[0].sizes.size()) continue;
            if (!weight && !(input && IntArrayRef(s.sizes).equals(*input))) weight = s.sizes;
            else if (!input && !(weight && IntArrayRef(s.sizes).equals(*weight))) input = s.sizes;
        }
        return {input, weight};
    }
    /// What a product sums over: the last dimension of its first operand, which is saved last where it is not on the
    /// tape.
    std::optional<double> summed() const {
        Sizes first = (*this)[0];
        for (auto s = node_.saved.rbegin(); !first && s != node_.saved.rend(); ++s)
            if (!s->released && !s->sizes.empty()) first = s->sizes;
        return last_of(first);
    }
    /// What a linear layer sums over: the last dimension of its input and of its weight.
    std::optional<double> features() const {
        for (std::size_t i = 0; i < node_.inputs.size(); ++i)
            if (const Sizes x = (*this)[i]; x && x->size() > 1) return last_of(x);
        return std::nullopt;
    }

private:
    static std::optional<double> last_of(const Sizes& sizes) {
        if (!sizes || sizes->empty()) return std::nullopt;
        return double(sizes->back());
    }
    const TapeView& view_;
    const TapeNode& node_;
};

double flops_of_convolution(const Operands& operands, bool transposed, double out, double plain) {
    const auto [input, weight] = operands.input_and_weight();
    if (!weight || weight->empty() || (*weight)[0] == 0 || (transposed && !input)) return plain;
    // Transposed, the weight's first dimension is that of the input.
    return 2 * (transposed ? numel(*input) : out) * numel(*weight) / double((*weight)[0]);
}
} // namespace

double flops_of_edge(const TapeView& view, const TapeNode& node, std::size_t edge) {
    const Operands operands(view, node);
    const double out = node.outputs.empty() ? 0 : numel(node.outputs[0].sizes);
    const Sizes own = operands[edge];
    const double plain = own ? numel(*own) : out;
    const bool bias = own && own->size() == 1; // a sum
    switch (node.node->work()) {
    case Work::kMoves:
        return 0;
    case Work::kLstm:
    case Work::kGru:
    case Work::kRnn:
        if (const auto r = recurrent(node)) return flops_of_recurrent(*r, edge, plain);
        return plain;
    case Work::kLinear: // input and weight both end with what the sum runs over
        if (bias) return out;
        if (const auto n = operands.features()) return 2 * out * *n;
        return plain;
    case Work::kProduct:
        if (const auto n = operands.summed()) return 2 * out * *n;
        return plain;
    case Work::kConvolution:
        return bias ? out : flops_of_convolution(operands, false, out, plain);
    case Work::kConvolutionTranspose:
        return bias ? out : flops_of_convolution(operands, true, out, plain);
    case Work::kElements:
        break;
    }
    return plain;
}

} // namespace reel::inspect
