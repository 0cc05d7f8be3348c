// `x[i]`, `x.index({...})`, `x.index_put_({...}, v)`: integers, slices, None and the ellipsis make views, tensors and
// bools select. The views and selections are ops, called as a user calls them.
#define REEL_CALLS_OPS
#include <cstring>
#include <ostream>

#include <reel/autograd/ops/convert/copy.hpp>
#include <reel/autograd/ops/factory/zeros.hpp>
#include <reel/autograd/ops/index/index.hpp>
#include <reel/autograd/ops/index/nonzero.hpp>
#include <reel/autograd/ops/shape/slice.hpp>
#include <reel/autograd/ops/shape/squeeze.hpp>
#include <reel/autograd/ops/shape/view.hpp>
#include <reel/autograd/printing.hpp>

#include "ops/index/index.hpp"
#include "ops/shape/shape_util.hpp"

namespace reel {

using namespace detail;
using namespace shape;

namespace indexing {
TensorIndex::TensorIndex(const char* text) : kind_(Kind::Ellipsis) {
    REEL_CHECK_VALUE(std::strcmp(text, "...") == 0, "index: got the text '", text,
                     "'; the only text accepted is \"...\"");
}

namespace {
/// One end of a slice: nothing where it is absent, in libtorch's form the number that stands for it there.
void print_part(std::ostream& os, const Slice::Part& part, std::int64_t absent) {
    if (part) os << *part;
    else if (printing() == Printing::libtorch) os << absent;
}
} // namespace

std::ostream& operator<<(std::ostream& os, const Slice& slice) {
    const bool backwards = slice.step() < 0;
    print_part(os, slice.start(), backwards ? std::int64_t(INDEX_MAX) : 0);
    os << ':';
    print_part(os, slice.stop(), backwards ? std::int64_t(INDEX_MIN) : std::int64_t(INDEX_MAX));
    return os << ':' << slice.step();
}
std::ostream& operator<<(std::ostream& os, const TensorIndex& index) {
    const bool cpp = printing() == Printing::libtorch;
    switch (index.kind()) {
    case TensorIndex::Kind::None:
        return os << "None";
    case TensorIndex::Kind::Ellipsis:
        return os << "...";
    case TensorIndex::Kind::Integer:
        return os << index.integer();
    case TensorIndex::Kind::Boolean:
        return os << (index.boolean() ? (cpp ? "true" : "True") : cpp ? "false" : "False");
    case TensorIndex::Kind::Slice:
        return os << index.slice();
    case TensorIndex::Kind::Tensor:
        return os << index.tensor();
    }
    return os;
}
std::ostream& operator<<(std::ostream& os, const std::vector<TensorIndex>& indices) {
    os << '(';
    for (std::size_t i = 0; i < indices.size(); ++i) os << (i ? ", " : "") << indices[i];
    return os << ')';
}
} // namespace indexing

namespace {
using indexing::TensorIndex;
using Kind = TensorIndex::Kind;

bool is_mask(const Tensor& t) { return t.scalar_type() == kBool || t.scalar_type() == kByte; }

/// The view that the basic entries make, and the index tensors that remain, by dimension of that view.
struct Subscript {
    Tensor view;
    std::vector<Tensor> tensors;
    bool selects() const {
        for (const Tensor& t : tensors)
            if (t.defined()) return true;
        return false;
    }
};

namespace {
/// How many dimensions of `self` the list consumes; what it does not is the ellipsis's.
std::int64_t consumed_dims(const Tensor& self, ArrayRef<TensorIndex> indices) {
    REEL_CHECK_INDEX(!indices.empty(), "index: the index list is empty");
    std::int64_t consumed = 0, ellipses = 0;
    for (const TensorIndex& i : indices) {
        switch (i.kind()) {
        case Kind::Integer:
        case Kind::Slice:
            ++consumed;
            break;
        case Kind::Ellipsis:
            ++ellipses;
            break;
        case Kind::Tensor:
            consumed += is_mask(i.tensor()) ? i.tensor().dim() : 1;
            break;
        default:
            break;
        }
    }
    REEL_CHECK_INDEX(ellipses <= 1, "index: an index list may hold one ellipsis, got ", ellipses);
    REEL_CHECK_INDEX(consumed <= self.dim(), "index: too many indices (", consumed, ") for a tensor of ", self.dim(),
                     " dimensions, sizes ", self.sizes());
    return consumed;
}
} // namespace

Subscript subscript(const Tensor& self, ArrayRef<TensorIndex> indices) {
    const std::int64_t consumed = consumed_dims(self, indices);
    Subscript s{self, {}};
    std::int64_t dim = 0, own = 0; // of the view so far, and of `self`, which is the one that messages name
    const auto pick = [&](std::int64_t i) {
        const std::int64_t n = self.size(own);
        REEL_CHECK_INDEX(i >= -n && i < n, "index: index ", i, " is out of range for dimension ", own, " of size ", n,
                         "; tensor sizes ", self.sizes());
        s.view = reel::select(s.view, dim, i);
        ++own;
    };
    const auto select_by = [&](Tensor t, std::int64_t own_dims) {
        s.tensors.resize(std::size_t(dim));
        s.tensors.push_back(std::move(t));
        ++dim;
        own += own_dims;
        // A mask of several dimensions stands at its first one; the later ones get no entry of their own.
    };
    for (const TensorIndex& i : indices) {
        switch (i.kind()) {
        case Kind::None:
            s.view = reel::unsqueeze(s.view, dim++);
            break;
        case Kind::Ellipsis:
            dim += self.dim() - consumed;
            own += self.dim() - consumed;
            break;
        case Kind::Integer:
            pick(i.integer());
            break;
        case Kind::Slice:
            s.view = reel::slice(s.view, dim, i.slice().start(), i.slice().stop(), i.slice().step());
            ++dim;
            ++own;
            break;
        case Kind::Boolean:
            s.view = reel::unsqueeze(s.view, dim);
            select_by(reel::zeros({i.integer() ? 1 : 0}, TensorOptions(kLong).device(self.device())), 0);
            break;
        case Kind::Tensor: {
            const Tensor& t = i.tensor();
            if (t.scalar_type() == kByte) warn_of_byte_mask();
            if (t.dim() == 0 && !is_mask(t) && isIntegralType(t.scalar_type(), false)) {
                pick(t.item().toLong());
            } else if (t.dim() == 0 && is_mask(t)) {
                s.view = reel::unsqueeze(s.view, dim);
                select_by(reel::zeros({t.item().toBool() ? 1 : 0}, TensorOptions(kLong).device(self.device())), 0);
            } else if (is_mask(t)) {
                for (std::int64_t d = 0; d < t.dim(); ++d)
                    REEL_CHECK_INDEX(t.sizes()[std::size_t(d)] == self.size(own + d), "index: mask of sizes ",
                                     t.sizes(), " does not match the tensor's sizes ", self.sizes(), " at dimension ",
                                     own + d);
                for (const Tensor& column : nonzero_numpy(t)) select_by(column, 1);
            } else select_by(t, 1);
            break;
        }
        }
    }
    return s;
}

void assign(const Tensor& self, ArrayRef<TensorIndex> indices, const Tensor& value, bool accumulate) {
    const Subscript s = subscript(self, indices);
    const Tensor v = value.scalar_type() == self.scalar_type() ? value : value.to(self.scalar_type());
    if (s.selects()) {
        reel::index_put_(s.view, s.tensors, v.device() == self.device() ? v : v.to(self.device()), accumulate);
        return;
    }
    Tensor source = v; // leading dimensions of size one may be too many
    while (source.dim() > s.view.dim() && source.size(0) == 1) source = source.squeeze(0);
    if (accumulate) s.view.add_(source);
    else s.view.copy_(source);
}
} // namespace

Tensor Tensor::operator[](std::int64_t i) const { return reel::select(*this, 0, i); }
Tensor Tensor::operator[](const Tensor& i) const { return index({i}); }

Tensor Tensor::index(std::initializer_list<TensorIndex> indices) const { return index(ArrayRef<TensorIndex>(indices)); }
Tensor Tensor::index(ArrayRef<TensorIndex> indices) const {
    const Subscript s = subscript(*this, indices);
    if (s.selects()) return reel::index_op(s.view, s.tensors);
    return s.view.is_same(*this) ? reel::alias(*this) : s.view;
}
Tensor& Tensor::index_put_(std::initializer_list<TensorIndex> indices, const Tensor& value, bool accumulate) const {
    assign(*this, ArrayRef<TensorIndex>(indices), value, accumulate);
    return const_cast<Tensor&>(*this);
}
Tensor& Tensor::index_put_(std::initializer_list<TensorIndex> indices, const Scalar& value) const {
    return index_put_(ArrayRef<TensorIndex>(indices), value);
}
Tensor& Tensor::index_put_(ArrayRef<TensorIndex> indices, const Scalar& value) const {
    const Tensor one = empty_raw({}, scalar_type(), device());
    fill_raw(one, value);
    assign(*this, indices, one, false);
    return const_cast<Tensor&>(*this);
}
Tensor& Tensor::index_put_(ArrayRef<TensorIndex> indices, const Tensor& value, bool accumulate) const {
    assign(*this, indices, value, accumulate);
    return const_cast<Tensor&>(*this);
}
Tensor Tensor::index_put(std::initializer_list<TensorIndex> indices, const Tensor& value, bool accumulate) const {
    return index_put(ArrayRef<TensorIndex>(indices), value, accumulate);
}
Tensor Tensor::index_put(ArrayRef<TensorIndex> indices, const Tensor& value, bool accumulate) const {
    const Tensor copy = reel::clone(*this);
    assign(copy, indices, value, accumulate);
    return copy;
}

} // namespace reel
