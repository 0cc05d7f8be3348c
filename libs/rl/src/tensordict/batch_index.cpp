#include "tensordict/batch_index.hpp"

#include <algorithm>

#include <reel/autograd/ops/factory/zeros.hpp>
#include <reel/autograd/ops/index/nonzero.hpp>
#include <reel/autograd/ops/reduce/minmax.hpp>

namespace reel::rl::detail {

using indexing::TensorIndex;
using Kind = TensorIndex::Kind;

namespace {

bool is_mask(const Tensor& t) { return t.scalar_type() == kBool || t.scalar_type() == kByte; }

std::size_t consumed(const TensorIndex& i) {
    if (i.kind() == Kind::Integer || i.kind() == Kind::Slice) return 1;
    if (i.kind() != Kind::Tensor) return 0;
    return is_mask(i.tensor()) ? std::size_t(i.tensor().dim()) : 1;
}
/// How many elements `slice` takes of `n`.
std::int64_t length_of(const char* op, const indexing::Slice& slice, std::int64_t n) {
    REEL_CHECK_VALUE(slice.step() > 0, "TensorDict::", op, ": the step of a slice must be positive, got ",
                     slice.step());
    const auto clipped = [n](std::int64_t at) { return std::clamp<std::int64_t>(at < 0 ? at + n : at, 0, n); };
    const std::int64_t start = clipped(slice.start().value_or(0)), stop = clipped(slice.stop().value_or(n));
    return stop > start ? (stop - start - 1) / slice.step() + 1 : 0;
}

/// The least and the greatest element.
std::pair<std::int64_t, std::int64_t> extremes(const Tensor& t) {
    if (t.is_cpu() && t.scalar_type() == kLong && t.is_contiguous()) { // mostly a few of them
        const std::int64_t* first = t.const_data_ptr<std::int64_t>();
        const auto [low, high] = std::minmax_element(first, first + t.numel());
        return {*low, *high};
    }
    const auto [low, high] = reel::aminmax(t);
    return {low.item<std::int64_t>(), high.item<std::int64_t>()};
}

} // namespace

BatchIndex::BatchIndex(const char* op, IntArrayRef batch_size, ArrayRef<TensorIndex> indices) {
    std::size_t taken = 0, ellipses = 0;
    for (const TensorIndex& i : indices) {
        REEL_CHECK_VALUE(i.kind() != Kind::Tensor || i.tensor().defined(), "TensorDict::", op,
                         ": an index tensor is undefined");
        taken += consumed(i);
        ellipses += i.kind() == Kind::Ellipsis;
    }
    REEL_CHECK_INDEX(ellipses <= 1, "TensorDict::", op, ": an index list may hold one ellipsis, got ", ellipses);
    REEL_CHECK_INDEX(taken <= batch_size.size(), "TensorDict::", op, ": too many indices (", taken,
                     ") for the batch size ", batch_size, "; entries are indexed one by one beyond the batch");
    indices_.reserve(indices.size());
    std::size_t dim = 0; // of the batch
    for (const TensorIndex& i : indices) {
        switch (i.kind()) {
        case Kind::None:
            indices_.push_back(i);
            add_size(1);
            break;
        case Kind::Ellipsis:
            for (std::size_t n = batch_size.size() - taken; n > 0; --n) {
                indices_.push_back(indexing::Slice());
                add_size(batch_size[dim++]);
            }
            break;
        case Kind::Integer:
            REEL_CHECK_INDEX(i.integer() >= -batch_size[dim] && i.integer() < batch_size[dim], "TensorDict::", op,
                             ": index ", i.integer(), " is out of range for dimension ", dim, " of the batch size ",
                             batch_size);
            indices_.push_back(i);
            ++dim;
            break;
        case Kind::Slice:
            add_size(length_of(op, i.slice(), batch_size[dim++]));
            indices_.push_back(i);
            break;
        case Kind::Boolean:
            indices_.push_back(i);
            add_positions(reel::zeros({i.integer() ? 1 : 0}, kLong), 1);
            break;
        case Kind::Tensor:
            add_tensor(op, i.tensor(), batch_size, dim);
            break;
        }
    }
    for (; dim < batch_size.size(); ++dim) add_size(batch_size[dim]);
    finish(op);
}

void BatchIndex::add_tensor(const char* op, Tensor t, IntArrayRef batch_size, std::size_t& dim) {
    if (is_mask(t) && t.dim() > 0) {
        for (std::size_t d = 0; d < t.sizes().size(); ++d)
            REEL_CHECK_INDEX(t.sizes()[d] == batch_size[dim + d], "TensorDict::", op, ": a mask of sizes ", t.sizes(),
                             " does not match the batch size ", batch_size, " from dimension ", dim);
        for (const Tensor& column : reel::nonzero(t).unbind(1)) { // looked through once for all entries
            indices_.push_back(column.contiguous());
            add_positions(column, batch_size[dim++]);
        }
        return;
    }
    if (is_mask(t)) {
        const bool on = t.item().toBool();
        indices_.push_back(on);
        add_positions(reel::zeros({on ? 1 : 0}, kLong), 1);
        return;
    }
    REEL_CHECK_INDEX(isIntegralType(t.scalar_type()), "TensorDict::", op,
                     ": tensors used as indices must be integers or masks, got one of dtype ", t.scalar_type());
    if (t.dim() == 0) {
        const std::int64_t i = t.item().toLong();
        REEL_CHECK_INDEX(i >= -batch_size[dim] && i < batch_size[dim], "TensorDict::", op, ": index ", i,
                         " is out of range for dimension ", dim, " of the batch size ", batch_size);
        indices_.push_back(i);
        ++dim;
        return;
    }
    add_positions(t, batch_size[dim++]);
    indices_.push_back(std::move(t));
}
void BatchIndex::add_positions(Tensor positions, std::int64_t extent) {
    if (positions_.empty()) place_ = result_.size();
    else apart_ = apart_ || last_ != result_.size();
    last_ = result_.size();
    positions_.push_back({std::move(positions), extent});
}
void BatchIndex::add_size(std::int64_t size) { result_.push_back(size); }
/// What the index tensors stand for gets its place in the result.
void BatchIndex::finish(const char* op) {
    if (positions_.empty()) return;
    Dims wide(positions_[0].tensor.sizes());
    for (const Positions& p : positions_) {
        const IntArrayRef sizes = p.tensor.sizes();
        while (wide.size() < sizes.size()) wide.insert(wide.begin(), 1);
        for (std::size_t i = 1; i <= sizes.size(); ++i) {
            std::int64_t& size = wide[wide.size() - i];
            const std::int64_t own = sizes[sizes.size() - i];
            REEL_CHECK_INDEX(size == own || size == 1 || own == 1, "TensorDict::", op, ": index tensors of sizes ",
                             positions_[0].tensor.sizes(), " and ", sizes, " do not broadcast to one size");
            if (size == 1) size = own;
        }
    }
    const std::size_t at = apart_ ? 0 : place_;
    Dims whole(IntArrayRef(result_.data(), at));
    for (const std::int64_t size : wide) whole.push_back(size);
    for (std::size_t i = at; i < result_.size(); ++i) whole.push_back(result_[i]);
    result_ = whole;
}

Tensor BatchIndex::pick(const Tensor& leaf) const {
    if (indices_.size() == 1 && indices_[0].kind() == Kind::Integer) return leaf.select(0, indices_[0].integer());
    if (indices_.empty()) return leaf;
    if (indices_.size() == 1 && indices_[0].kind() == Kind::Slice) {
        const indexing::Slice& s = indices_[0].slice();
        return leaf.slice(0, s.start(), s.stop(), s.step());
    }
    return leaf.index(ArrayRef<TensorIndex>(indices_));
}
void BatchIndex::put(const Tensor& leaf, const Tensor& value) const {
    if (indices_.size() == 1 && indices_[0].kind() == Kind::Integer) leaf.select(0, indices_[0].integer()).copy_(value);
    else if (indices_.empty()) leaf.copy_(value);
    else leaf.index_put_(ArrayRef<TensorIndex>(indices_), value);
}
void BatchIndex::check_positions() const {
    for (const Positions& p : positions_) {
        if (p.tensor.numel() == 0) continue;
        const auto [low, high] = extremes(p.tensor);
        REEL_CHECK_INDEX(low >= -p.extent && high < p.extent, "TensorDict::index_put_: index ",
                         low < -p.extent ? low : high, " is out of range for a dimension of size ", p.extent);
    }
}

} // namespace reel::rl::detail
