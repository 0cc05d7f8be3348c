// What the backward of an op spends, as the op itself declares it.
#pragma once

#include <cstdint>

namespace reel::autograd {

/// How the floating operations of a node's backward follow from the shapes of its operands; what estimates them asks
/// `Node::work()`.
enum class Work : std::uint8_t {
    kElements,             ///< about one for each element of the operand's gradient
    kMoves,                ///< none: gradients are passed on, or put elsewhere
    kProduct,              ///< two for each of the result's elements and of the dimension that the product sums over
    kLinear,               ///< a product of input and weight, whose last dimensions are summed over, and a bias
    kConvolution,          ///< two for each of the result's elements and of a filter's
    kConvolutionTranspose, ///< two for each of the input's elements and of a filter's
    kRnn,                  ///< a layer of plain recurrence, or one step of it: products in every step
    kGru,                  ///< so, with three gates
    kLstm,                 ///< so, with four
};

/// What `record` is told of an op: its name (static storage), and what its backward spends.
struct RecordedOp {
    const char* name;
    Work work;
    // NOLINTNEXTLINE(google-explicit-constructor): most ops are their names
    constexpr RecordedOp(const char* op, Work backward = Work::kElements) : name(op), work(backward) {}
};

} // namespace reel::autograd
