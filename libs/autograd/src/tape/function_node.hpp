// The node of a custom function.
#pragma once

#include <memory>
#include <vector>

#include <reel/autograd/detail/spin_lock.hpp>
#include <reel/autograd/function.hpp>
#include <reel/autograd/saved_variable.hpp>

namespace reel::autograd {

class FunctionNode final : public Node {
public:
    explicit FunctionNode(impl::FunctionRules rules);
    std::string name() const override { return rules_.name + "Backward"; }
    GradList apply(GradList&& grads) override;
    void release_variables() override;
    std::vector<Tensor> saved_tensors() const override;
    /// Backward runs even when all gradients are undefined (E-66).
    bool materializes_undefined() const override { return true; }

    bool has_jvp() const { return bool(rules_.jvp); }
    /// Output tangents from input tangents, one per edge.
    variable_list push_tangents(const variable_list& by_edge);

    /// Entry `i` of what was saved, null beyond the end. Error once it is released.
    SavedVariable* saved_entry(std::size_t i);

    AutogradContext context;

private:
    friend class AutogradContext;
    friend variable_list impl::apply_function(impl::FunctionRules, const std::vector<std::optional<Tensor>>&);
    /// Gives the outputs their history; returns what the caller gets (E-67 to E-69).
    variable_list finish(variable_list outputs, const std::vector<std::optional<Tensor>>& arguments, bool recorded);
    void save_tensors();
    GradList checked(variable_list results) const;

    impl::FunctionRules rules_;
    std::vector<bool> is_tensor_; ///< per argument
    variable_list to_save_, dirty_, non_differentiable_;
    std::vector<std::pair<Tensor, ScalarType>> grad_dtypes_; ///< of outputs (E-83); empty after forward
    using SavedList = std::vector<SavedVariable>;
    /// What is there, for one reading: passes of several threads may meet here, and one of them release it (E-76).
    std::shared_ptr<const SavedList> saved() const;
    void drop_saved();
    mutable SpinLock lock_; ///< over the next three
    std::shared_ptr<SavedList> saved_;
    bool released_ = false, accessed_ = false;
    bool materialize_ = true, clear_on_access_ = false;
};

} // namespace reel::autograd
