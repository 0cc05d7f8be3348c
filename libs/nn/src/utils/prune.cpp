// Pruning: which entries go, and the masks that say so.
#include <reel/autograd/ops/convert/copy.hpp>
#include <reel/autograd/ops/factory/like.hpp>
#include <reel/autograd/ops/index/gather.hpp>
#include <reel/autograd/ops/index/index.hpp>
#include <reel/autograd/ops/index/nonzero.hpp>
#include <reel/autograd/ops/index/scatter.hpp>
#include <reel/autograd/ops/index/sort.hpp>
#include <reel/autograd/ops/pointwise/comparison.hpp>
#include <reel/autograd/ops/random/random.hpp>
#include <reel/autograd/ops/random/sampling.hpp>
#include <reel/autograd/ops/reduce/reduce.hpp>
#include <reel/autograd/ops/reduce/vector_norm.hpp>
#include <reel/autograd/ops/shape/join.hpp>
#include <reel/nn/utils/prune.hpp>

#include <cmath>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "module/members.hpp"

namespace reel::nn::utils::prune {

using nn::detail::Entry;

void Amount::check() const {
    if (is_fraction_)
        REEL_CHECK_VALUE(fraction_ >= 0 && fraction_ <= 1, "prune: amount is ", fraction_,
                         "; expected a fraction in [0, 1], or an integer for a number of entries");
    else REEL_CHECK_VALUE(count_ >= 0, "prune: amount is ", count_, "; expected a non-negative number");
}
std::int64_t Amount::of(std::int64_t size) const {
    check();
    const std::int64_t n = is_fraction_ ? std::int64_t(std::nearbyint(fraction_ * double(size))) : count_;
    REEL_CHECK_VALUE(n <= size, "prune: amount is ", n, ", but there are only ", size, " to prune");
    return n;
}

BasePruningMethod::~BasePruningMethod() = default;
Tensor BasePruningMethod::prune(const Tensor& t, const Tensor& default_mask, const Tensor& importance_scores) const {
    REEL_CHECK_VALUE(!importance_scores.defined() || importance_scores.sizes().equals(t.sizes()),
                     "prune: importance_scores should have the shape of the tensor, got ", importance_scores.sizes(),
                     " for ", t.sizes());
    return t * compute_mask(importance_scores.defined() ? importance_scores : t,
                            default_mask.defined() ? default_mask : reel::ones_like(t));
}

namespace {
/// `mask`, with zeros at the given positions of the flat tensor.
Tensor without(const Tensor& mask, const Tensor& positions) {
    const Tensor m = reel::clone(mask.contiguous());
    m.view({-1}).index_fill_(0, positions, 0);
    return m;
}
std::vector<std::int64_t> all_but(std::int64_t dim, std::int64_t n) {
    std::vector<std::int64_t> r;
    for (std::int64_t i = 0; i < n; ++i)
        if (i != dim) r.push_back(i);
    return r;
}
/// The dimension of channels from the front. Errors: ValueError for a vector, IndexError.
std::int64_t channel_dim(const Tensor& t, std::int64_t dim) {
    REEL_CHECK_VALUE(t.dim() > 1, "prune: structured pruning can only be applied to tensors of more than one ",
                     "dimension, got shape ", t.sizes());
    REEL_CHECK_INDEX(-t.dim() <= dim && dim < t.dim(), "prune: invalid dimension ", dim, " for a tensor of shape ",
                     t.sizes());
    return dim < 0 ? dim + t.dim() : dim;
}
/// `mask`, with zeros in all channels of `dim` that `kept`, a vector of bool, does not have.
Tensor with_channels(const Tensor& mask, std::int64_t dim, const Tensor& kept) {
    std::vector<std::int64_t> shape(std::size_t(mask.dim()), 1);
    shape[std::size_t(dim)] = -1;
    return mask * kept.to(mask.scalar_type()).view(shape);
}
} // namespace

Tensor Identity::compute_mask(const Tensor&, const Tensor& default_mask) const { return default_mask; }
Tensor CustomFromMask::compute_mask(const Tensor&, const Tensor& default_mask) const {
    REEL_CHECK_VALUE(default_mask.sizes().equals(mask_.sizes()), "prune: the mask has shape ", mask_.sizes(),
                     ", the parameter ", default_mask.sizes());
    return default_mask * mask_.to(default_mask.options());
}
Tensor RandomUnstructured::compute_mask(const Tensor& t, const Tensor& default_mask) const {
    const std::int64_t n = amount_.of(t.numel());
    if (n == 0) return default_mask;
    return without(default_mask, std::get<1>(reel::topk(reel::rand_like(t).view({-1}), n)));
}
Tensor L1Unstructured::compute_mask(const Tensor& t, const Tensor& default_mask) const {
    const std::int64_t n = amount_.of(t.numel());
    if (n == 0) return default_mask;
    return without(default_mask, std::get<1>(reel::topk(t.abs().reshape({-1}), n, -1, false)));
}
Tensor RandomStructured::compute_mask(const Tensor& t, const Tensor& default_mask) const {
    const std::int64_t d = channel_dim(t, dim_), n = amount_.of(t.size(d));
    if (n == 0) return default_mask;
    const Tensor chance = reel::rand({t.size(d)}, TensorOptions(t.device()));
    return with_channels(default_mask, d, reel::gt(chance, std::get<0>(reel::kthvalue(chance, n))));
}
Tensor LnStructured::compute_mask(const Tensor& t, const Tensor& default_mask) const {
    const std::int64_t d = channel_dim(t, dim_), n = amount_.of(t.size(d));
    if (n == 0) return default_mask;
    const std::vector<std::int64_t> others = all_but(d, t.dim());
    const Tensor norm = reel::linalg_vector_norm(t, n_, IntArrayRef(others));
    const Tensor kept = norm.new_zeros({t.size(d)}, kBool);
    kept.index_fill_(0, std::get<1>(reel::topk(norm, t.size(d) - n)), 1);
    return with_channels(default_mask, d, kept);
}

namespace detail {

namespace {
/// The mask after `method`, which sees what `mask` left of `t`.
Tensor further_mask(const BasePruningMethod& method, const Tensor& t, const Tensor& mask) {
    const Tensor fresh = reel::clone(mask.to(t.scalar_type()).contiguous());
    if (method.type() == PruningType::global) return method.compute_mask(t, fresh);
    if (method.type() == PruningType::unstructured) {
        const Tensor left = reel::eq(mask, 1);
        return reel::masked_scatter(
            fresh, left, method.compute_mask(reel::masked_select(t, left), reel::masked_select(fresh, left)));
    }
    const std::int64_t d = channel_dim(t, method.dim());
    const std::vector<std::int64_t> others = all_but(d, t.dim());
    const Tensor left = reel::nonzero(reel::ne(reel::sum(mask, IntArrayRef(others)), 0)).view({-1});
    return reel::index_copy(fresh, d, left,
                            method.compute_mask(reel::index_select(t, d, left), reel::index_select(fresh, d, left)));
}
struct Product {
    std::string name;
    Tensor operator()(Module& m) const {
        return m.attribute(name + "_mask").toTensor() * m.attribute(name + "_orig").toTensor();
    }
};
bool is_pruned(const Module& m, const std::string& name) {
    const auto entry = Entry::computed_entry(m, name);
    return entry && entry->how->value.target<Product>();
}
Tensor mask_of(const Module& m, const std::string& name, const Tensor& like) {
    return is_pruned(m, name) ? m.own_buffers()[name + "_mask"] : reel::ones_like(like.detach());
}
} // namespace

void apply(Module& m, const std::string& name, const BasePruningMethod& method, const Tensor& importance_scores) {
    const bool was_recording = GradMode::is_enabled();
    NoGradGuard no_grad;
    const Value known = m.attribute(name);
    REEL_CHECK_WITH(AttributeError, known.isTensor(), m.repr_name(), " has no parameter '", name, "' to prune");
    const Tensor now = known.toTensor();
    REEL_CHECK_VALUE(!importance_scores.defined() || importance_scores.sizes().equals(now.sizes()),
                     "prune: importance_scores should have the shape of parameter '", name, "' of ", m.repr_name(),
                     ", got ", importance_scores.sizes(), " for ", now.sizes());
    const Tensor mask =
        further_mask(method, (importance_scores.defined() ? importance_scores : now).detach(), mask_of(m, name, now));
    if (is_pruned(m, name)) {
        m.register_buffer(name + "_mask", Tensor(mask));
        const AutoGradMode recording(was_recording);
        m.attribute(name);
        return;
    }
    REEL_CHECK_WITH(AttributeError, m.own_parameters().contains(name), m.repr_name(), " has no parameter '", name,
                    "' to prune; what is computed already cannot be pruned");
    m.register_parameter(name + "_orig", Tensor(now), now.requires_grad());
    m.register_buffer(name + "_mask", Tensor(mask));
    const AutoGradMode recording(was_recording);
    const Product value{name};
    Entry::compute(m, name, std::make_shared<nn::detail::Computation>(nn::detail::Computation{value}), value(m));
}
void remove(Module& m, const std::string& name) {
    REEL_CHECK_VALUE(is_pruned(m, name), "parameter '", name, "' of ", m.repr_name(),
                     " has to be pruned before pruning can be removed");
    const Tensor original = m.own_parameters()[name + "_orig"];
    {
        NoGradGuard no_grad;
        original.set_data(Product{name}(m).detach());
    }
    Entry::stop_computing(m, name);
    m.unregister_parameter(name + "_orig");
    m.unregister_buffer(name + "_mask");
    m.register_parameter(name, Tensor(original), original.requires_grad());
}
bool is_pruned(const Module& module) {
    for (const auto& [path, m] : module.module_items({}, true))
        for (const auto& buffer : m->own_buffers())
            if (buffer.key().ends_with("_mask") && is_pruned(*m, buffer.key().substr(0, buffer.key().size() - 5)))
                return true;
    return false;
}
void global_unstructured(const std::vector<Place>& places, const BasePruningMethod& method,
                         const std::vector<Tensor>& importance_scores) {
    NoGradGuard no_grad;
    REEL_CHECK_TYPE(method.type() == PruningType::unstructured,
                    "prune: global_unstructured takes unstructured methods only");
    REEL_CHECK_VALUE(importance_scores.empty() || importance_scores.size() == places.size(),
                     "prune: global_unstructured: there are ", importance_scores.size(), " importance_scores for ",
                     places.size(), " parameters");
    if (places.empty()) return;
    std::vector<Tensor> scores, masks;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const Tensor now = places[i].module->attribute(places[i].name).toTensor().detach();
        const bool given = !importance_scores.empty() && importance_scores[i].defined();
        scores.push_back((given ? importance_scores[i].detach() : now).reshape({-1}));
        masks.push_back(mask_of(*places[i].module, places[i].name, now).reshape({-1}));
    }
    const Tensor mask = further_mask(method, reel::cat(scores), reel::cat(masks));
    std::int64_t at = 0;
    for (const Place& place : places) {
        const Tensor now = place.module->attribute(place.name).toTensor();
        apply(*place.module, place.name, CustomFromMask(mask.narrow(0, at, now.numel()).view_as(now)), {});
        at += now.numel();
    }
}

} // namespace detail

} // namespace reel::nn::utils::prune
