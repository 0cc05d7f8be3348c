// Mutations of tensors.
#include <limits>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops.hpp>

#include "op_fuzz/mutate.hpp"
#include "op_fuzz/samples.hpp"

namespace op_fuzz {

using namespace reel;
using Sizes = std::vector<std::int64_t>;

namespace {

Sizes sizes_of(const Tensor& t) { return Sizes(t.sizes().begin(), t.sizes().end()); }

Tensor other_dtype(const Tensor& t, Dice& dice) {
    return t.to(dice.one_of(
        {kDouble, kFloat, kHalf, kBFloat16, kLong, kInt, kShort, kChar, kByte, kBool, kComplexFloat, kComplexDouble}));
}

Tensor other_rank(const Tensor& t, Dice& dice) {
    if (t.dim() > 0 && dice.once_in(2)) {
        if (dice.once_in(3)) return t.reshape({-1});
        const std::int64_t d = std::int64_t(dice.below(std::size_t(t.dim())));
        if (t.size(d) > 0) return t.select(d, 0);
    }
    return t.unsqueeze(std::int64_t(dice.below(std::size_t(t.dim()) + 1)));
}

Tensor other_sizes(const Tensor& t, Dice& dice) {
    Sizes sizes = sizes_of(t);
    if (sizes.empty() || dice.once_in(4)) {
        sizes.resize(dice.below(6));
        for (std::int64_t& n : sizes) n = std::int64_t(dice.one_of({0, 1, 1, 2, 3, 4, 5, 7}));
    } else {
        std::int64_t& n = sizes[dice.below(sizes.size())];
        n = dice.once_in(2) ? n + 1 : std::int64_t(dice.below(8));
    }
    return drawn_tensor(sizes, t.scalar_type(), dice);
}

Tensor odd_values(const Tensor& t, Dice& dice) {
    Tensor r = t.clone(MemoryFormat::Contiguous);
    if (r.numel() == 0) return r;
    const bool everywhere = dice.once_in(3);
    for (std::size_t i = everywhere ? 0 : dice.below(std::size_t(r.numel())); i < std::size_t(r.numel()); ++i) {
        Tensor one = r.reshape({-1}).select(0, std::int64_t(i));
        if (isIntegralType(r.scalar_type(), true)) one.fill_(Scalar(odd_integer(dice)));
        else one.fill_(Scalar(odd_number(dice)));
        if (!everywhere || i > 64) break;
    }
    return r;
}

Tensor other_layout(const Tensor& t, Dice& dice) {
    switch (dice.below(5)) {
    case 0:
        return replay::lay_out(t, replay::MemoryLayout::strided);
    case 1:
        return replay::lay_out(t, replay::MemoryLayout::transposed);
    case 2:
        return replay::lay_out(t, replay::MemoryLayout::offset);
    case 3: { // expanded
        if (t.dim() == 0 || t.numel() == 0) return t.expand({3});
        const std::int64_t d = std::int64_t(dice.below(std::size_t(t.dim())));
        return t.narrow(d, 0, 1).expand(t.sizes());
    }
    default: { // elements that overlap
        std::int64_t span = 1;
        for (const std::int64_t n : t.sizes()) span += std::min<std::int64_t>(n, 64); // giants are empty
        return drawn_tensor({span}, t.scalar_type(), dice).as_strided(t.sizes(), Sizes(std::size_t(t.dim()), 1));
    }
    }
}

/// Sizes near the ends of the integers, without memory behind them: empty, or one element expanded.
Tensor giant(const Tensor& t, Dice& dice) {
    using I = std::int64_t;
    Sizes sizes(1 + dice.below(3), 1);
    for (I& n : sizes)
        n = dice.one_of({I(1), I(1), I(1) << 31, I(1) << 32, I(1) << 40, I(1) << 62, std::numeric_limits<I>::max()});
    if (dice.once_in(2)) {
        sizes.push_back(0);
        return reel::empty(Sizes(sizes.size(), 0), t.scalar_type()).expand(Sizes(sizes.size(), 0)).reshape(sizes);
    }
    return drawn_tensor({}, t.scalar_type(), dice).expand(sizes);
}

Tensor many_dims(const Tensor& t, Dice& dice) {
    Sizes sizes = sizes_of(t);
    sizes.insert(sizes.begin(), 60 + dice.below(8), 1);
    return t.reshape(sizes);
}

Tensor changed(const Tensor& t, Dice& dice) {
    switch (dice.below(17)) {
    case 0:
    case 1:
    case 2:
        return other_dtype(t, dice);
    case 3:
    case 4:
        return other_rank(t, dice);
    case 5:
    case 6:
        return other_sizes(t, dice);
    case 7:
        return t.dim() == 0 ? t.reshape({1}) : t.narrow(std::int64_t(dice.below(std::size_t(t.dim()))), 0, 0);
    case 8:
        return drawn_tensor({}, t.scalar_type(), dice);
    case 9:
    case 10:
    case 11:
        return odd_values(t, dice);
    case 12:
    case 13:
        return other_layout(t, dice);
    case 14:
        return reel::empty(t.sizes(), TensorOptions(t.scalar_type()).device(Device(kMeta)));
    case 15:
        return dice.once_in(3) ? many_dims(t, dice) : dice.once_in(8) ? giant(t, dice) : odd_values(t, dice);
    default:
        return t.detach();
    }
}

} // namespace

Value mutated_tensor(const Tensor& t, Dice& dice) {
    if (dice.once_in(40)) return Tensor();
    Tensor r;
    try {
        const NoGradGuard no_grad;
        r = changed(t, dice).detach();
    } catch (const Error&) {
        return t; // that change is not for this tensor
    }
    if (!isDifferentiableType(r.scalar_type()) || t.requires_grad() == dice.once_in(4)) return r;
    r.requires_grad_();
    return dice.once_in(4) && !r.is_meta() && r.numel() < 1000 ? Value(r.mul(Scalar(1))) : Value(r);
}

} // namespace op_fuzz
