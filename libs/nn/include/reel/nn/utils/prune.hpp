// Pruning: a parameter multiplied by a mask of zeros and ones, before every forward.
#pragma once

#include <concepts>
#include <string>
#include <utility>
#include <vector>

#include <reel/nn/functional_call.hpp>

namespace reel::nn::utils::prune {

/// How much to prune: a number of entries, or a fraction of them.
class Amount {
public:
    template <std::integral I> Amount(I count) : count_(static_cast<std::int64_t>(count)) {}
    template <std::floating_point F> Amount(F fraction) : fraction_(fraction), is_fraction_(true) {}
    /// Of `size` entries; halves round to even. Errors: ValueError for a negative number, a fraction outside of
    /// [0, 1], and a number above `size`.
    std::int64_t of(std::int64_t size) const;
    /// Errors: ValueError as above, as far as no size is needed.
    void check() const;

private:
    std::int64_t count_ = 0;
    double fraction_ = 0;
    bool is_fraction_ = false;
};

/// What a method looks at of a tensor that was pruned before: the entries that are left, the channels that have any
/// left, or everything.
enum class PruningType { unstructured, structured, global };

/// A way to prune. Derive from it for one of your own, and hand it to `apply` or `global_unstructured`.
class BasePruningMethod {
public:
    virtual ~BasePruningMethod();
    virtual PruningType type() const = 0;
    /// The mask of `t`, of zeros and ones like `default_mask`, which is the mask so far of what is looked at.
    virtual Tensor compute_mask(const Tensor& t, const Tensor& default_mask) const = 0;
    /// The dimension of channels, for structured methods.
    virtual std::int64_t dim() const { return -1; }
    /// `t` times its mask.
    Tensor prune(const Tensor& t, const Tensor& default_mask = {}, const Tensor& importance_scores = {}) const;
};

/// Prunes nothing, but makes the mask.
class Identity final : public BasePruningMethod {
public:
    PruningType type() const override { return PruningType::unstructured; }
    Tensor compute_mask(const Tensor& t, const Tensor& default_mask) const override;
};
/// Entries at random.
class RandomUnstructured final : public BasePruningMethod {
public:
    explicit RandomUnstructured(Amount amount) : amount_(amount) { amount.check(); }
    PruningType type() const override { return PruningType::unstructured; }
    Tensor compute_mask(const Tensor& t, const Tensor& default_mask) const override;

private:
    Amount amount_;
};
/// The entries with the smallest absolute values.
class L1Unstructured final : public BasePruningMethod {
public:
    explicit L1Unstructured(Amount amount) : amount_(amount) { amount.check(); }
    PruningType type() const override { return PruningType::unstructured; }
    Tensor compute_mask(const Tensor& t, const Tensor& default_mask) const override;

private:
    Amount amount_;
};
/// Channels of one dimension at random.
class RandomStructured final : public BasePruningMethod {
public:
    explicit RandomStructured(Amount amount, std::int64_t dim = -1) : amount_(amount), dim_(dim) { amount.check(); }
    PruningType type() const override { return PruningType::structured; }
    Tensor compute_mask(const Tensor& t, const Tensor& default_mask) const override;
    std::int64_t dim() const override { return dim_; }

private:
    Amount amount_;
    std::int64_t dim_;
};
/// The channels of one dimension with the smallest norm of order `n`.
class LnStructured final : public BasePruningMethod {
public:
    LnStructured(Amount amount, double n, std::int64_t dim = -1) : amount_(amount), n_(n), dim_(dim) { amount.check(); }
    PruningType type() const override { return PruningType::structured; }
    Tensor compute_mask(const Tensor& t, const Tensor& default_mask) const override;
    std::int64_t dim() const override { return dim_; }

private:
    Amount amount_;
    double n_;
    std::int64_t dim_;
};
/// A mask that is given; it is multiplied by the one so far.
class CustomFromMask final : public BasePruningMethod {
public:
    explicit CustomFromMask(Tensor mask) : mask_(std::move(mask)) {}
    PruningType type() const override { return PruningType::global; }
    Tensor compute_mask(const Tensor& t, const Tensor& default_mask) const override;

private:
    Tensor mask_;
};

namespace detail {
void apply(Module& module, const std::string& name, const BasePruningMethod& method, const Tensor& importance_scores);
void remove(Module& module, const std::string& name);
bool is_pruned(const Module& module);
struct Place {
    Module* module;
    std::string name;
};
void global_unstructured(const std::vector<Place>& places, const BasePruningMethod& method,
                         const std::vector<Tensor>& importance_scores);
} // namespace detail

/// Prunes the parameter `name` of `module` (a holder, a pointer or the module): the parameter goes on as
/// `<name>_orig`, the same tensor; the buffer `<name>_mask` holds the mask, and before every forward the member becomes
/// their product. Pruning again goes on with what is left. Ranks by `importance_scores`, of the parameter's shape,
/// where they are given. Returns `module`. Errors: AttributeError for a name that is no tensor of the module,
/// ValueError for scores of another shape and for amounts that are too large; nothing is changed then.
template <class M>
M&& apply(M&& module, const std::string& name, const BasePruningMethod& method, const Tensor& importance_scores = {}) {
    detail::apply(nn::detail::module_of(module), name, method, importance_scores);
    return std::forward<M>(module);
}
template <class M> M&& identity(M&& module, const std::string& name) {
    return prune::apply(std::forward<M>(module), name, Identity());
}
template <class M> M&& random_unstructured(M&& module, const std::string& name, Amount amount) {
    return prune::apply(std::forward<M>(module), name, RandomUnstructured(amount));
}
template <class M>
M&& l1_unstructured(M&& module, const std::string& name, Amount amount, const Tensor& importance_scores = {}) {
    return prune::apply(std::forward<M>(module), name, L1Unstructured(amount), importance_scores);
}
template <class M> M&& random_structured(M&& module, const std::string& name, Amount amount, std::int64_t dim) {
    return prune::apply(std::forward<M>(module), name, RandomStructured(amount, dim));
}
template <class M>
M&& ln_structured(M&& module, const std::string& name, Amount amount, double n, std::int64_t dim,
                  const Tensor& importance_scores = {}) {
    return prune::apply(std::forward<M>(module), name, LnStructured(amount, n, dim), importance_scores);
}
template <class M> M&& custom_from_mask(M&& module, const std::string& name, const Tensor& mask) {
    return prune::apply(std::forward<M>(module), name, CustomFromMask(mask));
}
/// Makes the pruning of `name` permanent: `<name>_orig` is `name` again, with zeros; the mask is gone. Returns
/// `module`. Errors: ValueError for what is not pruned.
template <class M> M&& remove(M&& module, const std::string& name) {
    detail::remove(nn::detail::module_of(module), name);
    return std::forward<M>(module);
}
/// Is some parameter of the module or of a submodule pruned?
template <class M> bool is_pruned(M&& module) { return detail::is_pruned(nn::detail::module_of(module)); }

/// A parameter of a module, for global_unstructured: `{net->first, "weight"}`.
class Pruned {
public:
    template <class M> Pruned(M&& module, std::string name) : place_{&nn::detail::module_of(module), std::move(name)} {}
    const detail::Place& place() const { return place_; }

private:
    detail::Place place_;
};
/// Prunes all of them at once by an unstructured method, so that `amount` counts over all: layers whose entries matter
/// less lose more. Scores, where given, are one tensor for each, undefined for the parameter itself. Errors: TypeError
/// for a structured method, ValueError for another number of scores.
inline void global_unstructured(const std::vector<Pruned>& parameters, const BasePruningMethod& method,
                                const std::vector<Tensor>& importance_scores = {}) {
    std::vector<detail::Place> places;
    for (const Pruned& p : parameters) places.push_back(p.place());
    detail::global_unstructured(places, method, importance_scores);
}

} // namespace reel::nn::utils::prune
