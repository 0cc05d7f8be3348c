// Basic indexing: integers, slices, None and the ellipsis make views.
#include <reel/autograd/ops.hpp>

#include <cstring>

namespace reel {

namespace indexing {
TensorIndex::TensorIndex(const char* text) : kind_(Kind::Ellipsis) {
    REEL_CHECK_VALUE(std::strcmp(text, "...") == 0, "index: got the text '", text, "'; the only text accepted is \"...\"");
}
} // namespace indexing

Tensor Tensor::operator[](std::int64_t i) const { return reel::select(*this, 0, i); }

namespace {
using indexing::TensorIndex;
Tensor apply_index(const Tensor& self, ArrayRef<TensorIndex> indices) {
    REEL_CHECK(!indices.empty(), "index: the index list is empty");
    std::int64_t consumed = 0, ellipses = 0;
    for (const TensorIndex& i : indices) {
        consumed += i.kind() == TensorIndex::Kind::Integer || i.kind() == TensorIndex::Kind::Slice;
        ellipses += i.kind() == TensorIndex::Kind::Ellipsis;
        REEL_CHECK_NOT_IMPLEMENTED(i.kind() != TensorIndex::Kind::Tensor && i.kind() != TensorIndex::Kind::Boolean,
                                   "index: tensor and bool indices are not supported yet");
    }
    REEL_CHECK_INDEX(ellipses <= 1, "index: an index list may hold one ellipsis, got ", ellipses);
    REEL_CHECK_INDEX(consumed <= self.dim(), "index: too many indices (", consumed, ") for a tensor of ", self.dim(), " dimensions");
    Tensor r = self;
    std::int64_t dim = 0;
    for (const TensorIndex& i : indices) {
        switch (i.kind()) {
        case TensorIndex::Kind::None: r = reel::unsqueeze(r, dim++); break;
        case TensorIndex::Kind::Ellipsis: dim += self.dim() - consumed; break;
        case TensorIndex::Kind::Integer: r = reel::select(r, dim, i.integer()); break;
        case TensorIndex::Kind::Slice: r = reel::slice(r, dim++, i.slice().start(), i.slice().stop(), i.slice().step()); break;
        default: break;
        }
    }
    return r.is_same(self) ? reel::slice(r, 0, std::nullopt, std::nullopt, 1) : r;
}
} // namespace

Tensor Tensor::index(std::initializer_list<TensorIndex> indices) const { return apply_index(*this, ArrayRef<TensorIndex>(indices)); }
Tensor Tensor::index(ArrayRef<TensorIndex> indices) const { return apply_index(*this, indices); }
Tensor& Tensor::index_put_(std::initializer_list<TensorIndex> indices, const Tensor& value, bool accumulate) const {
    return index_put_(ArrayRef<TensorIndex>(indices), value, accumulate);
}
Tensor& Tensor::index_put_(std::initializer_list<TensorIndex> indices, const Scalar& value) const {
    const Tensor part = apply_index(*this, ArrayRef<TensorIndex>(indices));
    reel::fill_(part, value);
    return const_cast<Tensor&>(*this);
}
Tensor& Tensor::index_put_(ArrayRef<TensorIndex> indices, const Tensor& value, bool accumulate) const {
    const Tensor part = apply_index(*this, indices);
    if (accumulate) reel::add_(part, value);
    else reel::copy_(part, value);
    return const_cast<Tensor&>(*this);
}

} // namespace reel
