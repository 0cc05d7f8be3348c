// What the reference's own functions are made of: programs that were decomposed, and library code in archives, name
// these operators. Their further results serve the reference's own derivatives alone.
#include <limits>

#include <reel/autograd/error.hpp>
#include <reel/autograd/op.hpp>

#include <reel/script/operator.hpp>

#include "ops/own.hpp"

namespace reel::jit::own {

namespace {

using Span = std::span<IValue>;
using Int = std::int64_t;

const ops::Op& op(const char* name) { return ops::registry().at(name); }

/// How a transform is scaled: 0 not at all, 1 by the root of the number of elements, 2 by the number; in the words of
/// a transform whose own way, "backward", scales on the way back alone.
const char* scaling(const IValue& normalization, bool forward) {
    const Int n = normalization.toInt();
    REEL_CHECK_VALUE(n >= 0 && n <= 2, "fft: normalization is ", n, "; expected 0, 1 or 2");
    if (n == 1) return "ortho";
    return (n == 0) == forward ? "backward" : "forward";
}
/// self, dim, normalization, onesided
IValue fft_real_to_complex(Span a) {
    static const ops::Op &half = op("fft.rfftn"), &full = op("fft.fftn");
    return (a[3].toBool() ? half : full).call({a[0], IValue(), a[1], scaling(a[2], true)});
}
/// self, dim, normalization, forward
IValue fft_complex_to_complex(Span a) {
    static const ops::Op &there = op("fft.fftn"), &back = op("fft.ifftn");
    const bool forward = a[3].toBool();
    return (forward ? there : back).call({a[0], IValue(), a[1], scaling(a[2], forward)});
}
/// self, dim, normalization, last_dim_size
IValue fft_complex_to_real(Span a) {
    static const ops::Op& back = op("fft.irfftn");
    const Tensor& self = a[0].toTensor();
    std::vector<Int> dims = a[1].toIntVector(), sizes;
    for (const Int d : dims) sizes.push_back(self.size(d));
    REEL_CHECK_VALUE(!sizes.empty(), "_fft_c2r: dim is empty; expected at least one dimension");
    sizes.back() = a[3].toInt();
    return back.call({self, IValue(sizes), IValue(dims), scaling(a[2], false)});
}

/// g v / |v|; the norm over all dimensions but `dim`.
IValue norm_of_weight(const Tensor& v, Int dim) {
    static const ops::Op& norm = op("linalg.vector_norm");
    if (dim == -1) return norm.call({v, 2.});
    REEL_CHECK_VALUE(dim >= 0 && dim < v.dim(), "_weight_norm: dim is ", dim, "; v has shape ", v.sizes());
    std::vector<Int> others;
    for (Int i = 0; i < v.dim(); ++i)
        if (i != dim) others.push_back(i);
    return others.empty() ? IValue(v.abs()) : norm.call({v, 2., IValue(others), true});
}
IValue weight_norm(Span a) {
    const Tensor &v = a[0].toTensor(), &g = a[1].toTensor();
    return v * (g / norm_of_weight(v, a[2].toInt()).toTensor());
}
IValue weight_norm_interface(Span a) {
    const Tensor &v = a[0].toTensor(), &g = a[1].toTensor();
    const Tensor norm = norm_of_weight(v, a[2].toInt()).toTensor();
    return IValue::tuple({v * (g / norm), norm});
}

/// What the operator in place draws, over a copy.
IValue drawn(const char* in_place, Span a) {
    std::vector<IValue> arguments(a.begin(), a.end());
    arguments[0] = a[0].toTensor().clone();
    return find_operator(in_place)->run(arguments);
}

/// self, noise, lower, upper, training, generator: the slopes are drawn anew.
IValue rrelu(Span a) {
    static const ops::Op& rrelu = op("nn.functional.rrelu");
    return rrelu.call({a[0], a[2].toScalar().toDouble(), a[3].toScalar().toDouble(), a[4]});
}
IValue rrelu_functional(Span a) {
    const IValue noise = a[1];
    return IValue::tuple({rrelu(a), noise});
}

bool are_windows(const Tensor& self, const std::vector<Int>& sizes) {
    const Int leading = self.dim() - Int(sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i)
        if (sizes[i] < self.size(leading + Int(i))) return false;
    return true;
}
/// The elements at their places in planes of `sizes`, which are smaller than those of `self` in some dimension.
Tensor scattered(const Tensor& self, const Tensor& indices, const std::vector<Int>& sizes) {
    std::vector<Int> flat(self.sizes().begin(), self.sizes().end() - std::ptrdiff_t(sizes.size())), shape = flat;
    flat.push_back(-1);
    shape.insert(shape.end(), sizes.begin(), sizes.end());
    const Tensor planes = self.new_zeros(shape);
    return planes.reshape(flat).scatter(-1, indices.reshape(flat), self.reshape(flat)).reshape(shape);
}
/// self, indices, output_size: windows that fit are as good as those that the places came from.
template <Int rank> IValue max_unpool(Span a) {
    static const ops::Op& unpool = op(rank == 2 ? "nn.functional.max_unpool2d" : "nn.functional.max_unpool3d");
    const Tensor& self = a[0].toTensor();
    const std::vector<Int> sizes = a[2].toIntVector();
    REEL_CHECK_VALUE(Int(sizes.size()) == rank, "max_unpool", rank, "d: output_size has ", sizes.size(),
                     " entries; expected ", rank);
    REEL_CHECK(self.dim() == rank + 1 || self.dim() == rank + 2, "max_unpool", rank, "d: input has shape ",
               self.sizes(), "; expected ", rank + 1, " or ", rank + 2, " dimensions");
    if (!are_windows(self, sizes)) return scattered(self, a[1].toTensor(), sizes);
    const auto n = std::size_t(rank);
    std::vector<Int> kernel, ones(n, 1), none(n, 0);
    for (Int i = 0; i < rank; ++i) kernel.push_back(sizes[std::size_t(i)] - self.size(self.dim() - rank + i) + 1);
    return unpool.call({self, a[1], IValue(kernel), IValue(ones), IValue(none), a[2]});
}

/// self, kernel_size, output_size, random_samples
template <Int rank> IValue fractional_max_pool(Span a) {
    static const ops::Op& pool =
        op(rank == 2 ? "fractional_max_pool2d_with_indices" : "fractional_max_pool3d_with_indices");
    return pool.call({a[0], a[1], a[2], IValue(), true, a[3]});
}

/// i1, i2, i3, the dimensions that each is widened by, those that are summed over, a hint.
IValue trilinear(Span a) {
    Tensor product;
    for (std::size_t i = 0; i < 3; ++i) {
        Tensor factor = a[i].toTensor();
        for (const Int d : a[i + 3].toIntVector()) factor = factor.unsqueeze(d);
        product = product.defined() ? product * factor : factor;
    }
    const std::vector<Int> over = a[6].toIntVector();
    return over.empty() ? product : product.sum(over);
}
/// self, dim, dtype: rows of nothing but -inf become zeros.
IValue safe_softmax(Span a) {
    static const ops::Op &softmax = op("softmax"), &all = op("all");
    const Tensor hidden = a[0].toTensor().eq(-std::numeric_limits<double>::infinity());
    const Tensor rows = all.call({hidden, a[1], true}).toTensor();
    // Filled before, too: a gradient of zero times one that is no number would be no number.
    return softmax.call({a[0].toTensor().masked_fill(rows, 0), a[1], a[2]}).toTensor().masked_fill(rows, 0);
}
/// self: the second result is a help for the reference's own derivative.
IValue log_sigmoid_forward(Span a) {
    static const ops::Op& log_sigmoid = op("nn.functional.logsigmoid");
    const Tensor& self = a[0].toTensor();
    return IValue::tuple({log_sigmoid.call({self}), self.new_empty({0})});
}
/// self, target, weight, reduction, ignore_index: the loss, and by what a mean is divided.
IValue nll_loss_forward(Span a) {
    static const ops::Op& nll = op("nn.functional.nll_loss");
    static constexpr const char* reductions[] = {"none", "mean", "sum"};
    const Int reduction = a[3].toInt();
    REEL_CHECK_VALUE(reduction >= 0 && reduction <= 2, "nll_loss_forward: reduction is ", reduction,
                     "; expected 0, 1 or 2");
    Kwargs options;
    options.set("weight", a[2]);
    options.set("ignore_index", a[4]);
    options.set("reduction", reductions[reduction]);
    const IValue loss = nll.call({a[0], a[1]}, options);
    const Tensor &self = a[0].toTensor(), &target = a[1].toTensor();
    const Tensor counts = target.ne(a[4].toInt());
    Tensor total = counts.sum().to(self.scalar_type());
    if (!a[2].isNone()) { // weights of the classes that are asked for
        const Tensor& weight = a[2].toTensor();
        const Tensor places = target.masked_fill(counts.logical_not(), 0);
        total = (weight.index_select(0, places.reshape({-1})) * counts.reshape({-1})).sum();
    }
    return IValue::tuple({loss, total});
}

/// info, api_name, is_matrix: what a factorization says of its success, one number a matrix.
IValue check_factorization(Span a) {
    const Tensor& info = a[0].toTensor();
    REEL_CHECK_LINALG(info.ne(0).sum().item<Int>() == 0, a[1].toStringRef(), ": the factorization of ",
                      a[2].toBool() ? "the matrix" : "a matrix of the batch",
                      " could not be completed; it is singular or not what the function asks for");
    return {};
}

Tensor no_indices(const IValue& like) { return like.toTensor().new_empty({0}, kLong); }
/// self, sorted, return_inverse, return_counts: always three results, empty where nobody asked.
IValue unique2(Span a) {
    static const ops::Op& unique = op("_unique2");
    Args found = unique.call({a[0], a[1], a[2], a[3]}).elements();
    for (const std::size_t i : {1, 2})
        if (!a[i + 1].toBool()) found[i] = no_indices(a[0]);
    return IValue::tuple(std::move(found));
}
/// self, return_inverse, return_counts, dim: always three results, empty where nobody asked.
IValue unique_consecutive(Span a) {
    static const ops::Op& unique = op("unique_consecutive");
    const bool inverse = a[1].toBool(), counts = a[2].toBool();
    const Tensor none = no_indices(a[0]);
    const IValue found = unique.call({a[0], a[1], a[2], a[3]});
    if (!inverse && !counts) return IValue::tuple({found, none, none});
    const auto& parts = found.elements();
    return IValue::tuple({parts.at(0), inverse ? parts.at(1) : IValue(none), counts ? parts.back() : IValue(none)});
}

constexpr Line lines[] = {
    {"aten::bernoulli.Tensor", [](Span a) { return drawn("aten::bernoulli_.Tensor", a); }, true},
    {"aten::cauchy", [](Span a) { return drawn("aten::cauchy_", a); }, true},
    {"aten::exponential", [](Span a) { return drawn("aten::exponential_", a); }, true},
    {"aten::geometric", [](Span a) { return drawn("aten::geometric_", a); }, true},
    {"aten::log_normal", [](Span a) { return drawn("aten::log_normal_", a); }, true},
    {"aten::normal_functional", [](Span a) { return drawn("aten::normal_", a); }, true},
    {"aten::uniform", [](Span a) { return drawn("aten::uniform_", a); }, true},
    {"aten::_linalg_check_errors", check_factorization, true},
    {"aten::_trilinear", trilinear},
    {"aten::_safe_softmax", safe_softmax},
    {"aten::log_sigmoid_forward", log_sigmoid_forward},
    {"aten::nll_loss_forward", nll_loss_forward},
    {"aten::nll_loss2d_forward", nll_loss_forward},
    {"aten::_unique2", unique2},
    {"aten::unique_consecutive", unique_consecutive},
    {"aten::_fft_r2c", fft_real_to_complex},
    {"aten::_fft_c2c", fft_complex_to_complex},
    {"aten::_fft_c2r", fft_complex_to_real},
    {"aten::_weight_norm", weight_norm},
    {"aten::_weight_norm_interface", weight_norm_interface},
    {"aten::rrelu_with_noise", rrelu, true},
    {"aten::rrelu_with_noise_functional", rrelu_functional, true},
    {"aten::max_unpool2d", max_unpool<2>},
    {"aten::max_unpool3d", max_unpool<3>},
    {"aten::fractional_max_pool2d", fractional_max_pool<2>},
    {"aten::fractional_max_pool3d", fractional_max_pool<3>},
};

} // namespace

std::span<const Line> inner() { return lines; }

} // namespace reel::jit::own
