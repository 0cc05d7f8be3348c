// Parameters and buffers that are computed: a module's tensor as a function of what is trained.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <reel/nn/detail/pack.hpp>
#include <reel/nn/detail/parametrization_step.hpp>
#include <reel/nn/functional_call.hpp>
#include <reel/nn/modules/module_list.hpp>

namespace reel::nn::utils::parametrize {

/// The parametrizations of one tensor, "0", "1", ..., and what they make it of: `original`, or `original0`,
/// `original1`, ... where the right inverse of the first gives several. Made by register_parametrization, found at
/// `module.parametrizations.<tensor>`.
class ParametrizationListImpl : public ModuleListImpl {
public:
    ParametrizationListImpl() = default;
    /// The value: the first parametrization of the originals, the others of what the one before gave.
    Tensor forward();
    Value forward_values(const Args& args, const Kwargs& kwargs) override;
    /// Sets the originals so that the value is `value`, as far as the right inverses can. Errors: Error where a
    /// parametrization has none, ValueError where they give another number of tensors or another dtype than before.
    void right_inverse(const Tensor& value);
    /// Is it made of a single `original`?
    bool is_tensor() const { return count_ == 0; }
    /// The original tensors, in order.
    std::vector<Tensor> originals() const;
    ModulePtr clone(std::optional<Device> device = std::nullopt, bool keep_hooks = true) const override;

private:
    friend void detail::register_parametrization(Module&, const std::string&, detail::Step, bool);
    /// Takes `original` over; returns the value.
    Tensor start(const Module& owner, const std::string& name, detail::Step step, const Tensor& original,
                 bool parameter, bool persistent);
    void add(detail::Step step);

    std::vector<detail::RightInverse> inverses_;
    std::size_t count_ = 0; ///< of originals, 0 for a single one
    bool unsafe_ = false;
};
REEL_MODULE(ParametrizationList);

/// Makes the parameter or buffer `tensor_name` of `module` (a holder, a pointer or the module) a function of others,
/// computed before every forward of the module: the member holds it there, `module->attribute(name)` computes it any
/// time. What is trained moves to `parametrizations.<name>.original`, the same Parameter as before; where the
/// parametrization has a `right_inverse(tensor)` that returns several tensors, to new `original0`, `original1`, ...
/// Further parametrizations of the tensor apply after the ones before. Assigning the member, or `set_attribute`, sets
/// the originals by the right inverses. The parametrization takes part in traversals, conversions and the state dict;
/// its own training flag becomes the module's. Returns `module`.
/// Errors: ValueError for a name that is neither; unless `unsafe`, for values of another shape or dtype than before,
/// and always for a right inverse that changes the dtype of a single original.
template <class M, class P>
M&& register_parametrization(M&& module, const std::string& tensor_name, P&& parametrization, bool unsafe = false) {
    detail::register_parametrization(nn::detail::module_of(module), tensor_name,
                                     detail::step(std::forward<P>(parametrization)), unsafe);
    return std::forward<M>(module);
}
/// Has `module` parametrizations, of the tensor of that name if one is given?
template <class M> bool is_parametrized(M&& module) { return detail::is_parametrized(nn::detail::module_of(module)); }
template <class M> bool is_parametrized(M&& module, const std::string& tensor_name) {
    return detail::is_parametrized(nn::detail::module_of(module), tensor_name);
}
/// Makes a plain parameter or buffer of the tensor again: with its present value, or (`leave_parametrized = false`)
/// with that of `original`; of a single original it is that very tensor. Returns `module`.
/// Errors: ValueError for a tensor without parametrizations, and for several originals without leave_parametrized.
template <class M>
M&& remove_parametrizations(M&& module, const std::string& tensor_name, bool leave_parametrized = true) {
    detail::remove_parametrizations(nn::detail::module_of(module), tensor_name, leave_parametrized);
    return std::forward<M>(module);
}

/// While one lives, the parametrized tensors that this thread uses are computed once and kept, as PyTorch's
/// `with parametrize.cached()`: for recurrent use of a layer. They nest; the outermost forgets.
class cached {
public:
    cached();
    ~cached();
    cached(const cached&) = delete;
    cached& operator=(const cached&) = delete;
};

} // namespace reel::nn::utils::parametrize
