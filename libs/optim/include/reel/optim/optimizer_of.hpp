// OptimizerOf: what the classes of optimizers have in common, given their options and their state.
#pragma once

#include <reel/optim/optimizer.hpp>

namespace reel::optim {

/// Base of an optimizer with options `O` and, for each parameter, a state `S`. A class says `using
/// OptimizerOf::OptimizerOf;`, has a `class_name` and overrides `update_parameter`, or `step` as a whole.
template <class O, class S> class OptimizerOf : public Optimizer {
public:
    using Options = O;
    using ParamState = S;
    explicit OptimizerOf(std::vector<OptimizerParamGroup> groups, O defaults = {})
        : Optimizer(std::move(groups), std::unique_ptr<OptimizerOptions>(new O(std::move(defaults)))) {}
    explicit OptimizerOf(std::vector<Tensor> params, O defaults = {})
        : Optimizer(std::move(params), std::unique_ptr<OptimizerOptions>(new O(std::move(defaults)))) {}

protected:
    /// Updates parameter `p`, whose gradient is `g`, under no-grad.
    virtual void update_parameter(const Tensor& p, const Tensor& g, S& state, const O& options) {
        (void)p, (void)g, (void)state, (void)options;
        throw_no_update();
    }
    /// The same for a sparse gradient, in classes that take them.
    virtual void update_rows(const Tensor& p, const Tensor& g, S& state, const O& options) {
        (void)p, (void)g, (void)state, (void)options;
        throw_no_update();
    }
    void update(OptimizerParamGroup& group) override {
        const O& options = options_of(group);
        check_gradients(group);
        each_with_grad<S>(group, [&](const Tensor& p, const Tensor& g, S& state) {
            if (g.is_sparse()) update_rows(p, g, state, options);
            else update_parameter(p, g, state, options);
        });
    }
    std::unique_ptr<OptimizerParamState> make_state() const override {
        return std::unique_ptr<OptimizerParamState>(new S());
    }
    static const O& options_of(const OptimizerParamGroup& group) { return static_cast<const O&>(group.options()); }
};

} // namespace reel::optim
