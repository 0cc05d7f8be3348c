// The node at the end of every path: adds what arrives to a leaf's `.grad` (rules E-28 to E-34).
#pragma once

#include <reel/autograd/node.hpp>

namespace reel::autograd {

class AccumulateGrad final : public Node {
public:
    explicit AccumulateGrad(Tensor leaf);
    ~AccumulateGrad() override;
    std::string name() const override { return "AccumulateGrad"; }
    GradList apply(GradList&& grads) override;
    bool is_accumulator() const override { return true; }
    /// Undefined gradients arrive too: post-accumulate hooks run all the same (T-18).
    bool materializes_undefined() const override { return true; }
    const Tensor& variable() const { return leaf_; }

private:
    void accumulate(Tensor g);
    Tensor leaf_;
};

namespace impl {
/// The accumulator of a leaf that has autograd state, null when there is none now.
NodePtr existing_accumulator(const Tensor& leaf);
} // namespace impl

} // namespace reel::autograd
