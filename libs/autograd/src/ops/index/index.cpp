// Indexing by tensors: reading, writing, masks.
#include <reel/autograd/ops/index/index.hpp>
#include <reel/autograd/ops/index/nonzero.hpp>

#include "ops/index/index.hpp"

#include <reel/autograd/kernels/block_copies.hpp>

#include "op/inplace_form.hpp"
#include "ops/index/index_kernels.hpp"
#include "ops/shape/shape_util.hpp"
#include "tape/inplace.hpp"
#include "tensor/strided_geometry.hpp"

namespace reel {

using namespace autograd;
using namespace detail;
using namespace shape;

namespace {

/// An index list brought to one table of element offsets. The result's dimensions are `before`, the table's, `after`.
struct Plan {
    Tensor table;        ///< int64 offsets in elements, in the broadcast shape of the index tensors
    Dims sizes, strides; ///< the result's sizes, and the operand's strides along them (0 along the table's)
    std::int64_t at = 0; ///< where the table's dimensions stand in the result

    Tensor expanded_table() const {
        Dims s(sizes.size(), 0);
        for (std::size_t i = 0; i < table.sizes().size(); ++i) s[std::size_t(at) + i] = table.strides()[i];
        return alias_raw(table, sizes, s, table.storage_offset());
    }
    Tensor operand(const Tensor& self) const { return alias_raw(self, sizes, strides, self.storage_offset()); }
};

/// Masks become the coordinates of their true elements; the list is filled up to all dimensions of `self`.
std::vector<Tensor> expand_masks(const Tensor& self, TensorList indices) {
    std::vector<Tensor> out;
    for (std::size_t i = 0; i < indices.size(); ++i) {
        const Tensor& t = indices[i];
        if (!t.defined()) {
            out.emplace_back();
            continue;
        }
        REEL_CHECK_INDEX(t.device() == self.device() || t.is_cpu(), "index: index ", i, " is on ", t.device().str(),
                         ", the tensor on ", self.device().str());
        if (t.scalar_type() == kBool || t.scalar_type() == kByte) {
            if (t.scalar_type() == kByte) warn_of_byte_mask();
            for (std::int64_t d = 0; d < t.dim(); ++d) {
                const std::int64_t k = std::int64_t(out.size()) + d;
                REEL_CHECK_INDEX(k < self.dim() && self.sizes()[std::size_t(k)] == t.sizes()[std::size_t(d)],
                                 "index: mask of sizes ", t.sizes(), " at position ", i,
                                 " does not match the tensor's sizes ", self.sizes(), " at dimension ", k);
            }
            const NoGradGuard off;
            const Tensor rows = nonzero(t);
            for (std::int64_t d = 0; d < t.dim(); ++d) out.push_back(select_raw(rows, 1, d));
            if (t.dim() == 0) REEL_THROW(IndexError, "index: a 0-dim mask must be given as a bool index");
        } else {
            REEL_CHECK_INDEX(isIntegralType(t.scalar_type(), false),
                             "index: tensors used as indices must be integers or masks, index ", i, " is ",
                             toString(t.scalar_type()));
            out.push_back(t);
        }
    }
    REEL_CHECK_INDEX(std::int64_t(out.size()) <= self.dim(), "index: ", out.size(),
                     " indices are too many for a tensor of ", self.dim(), " dimensions, sizes ", self.sizes());
    out.resize(std::size_t(self.dim()));
    return out;
}

Plan make_plan(const Tensor& self, TensorList list) {
    const std::vector<Tensor> indices = expand_masks(self, list);
    Dims shape;
    std::int64_t first = -1, last = -1, many = 0;
    for (std::size_t d = 0; d < indices.size(); ++d) {
        if (!indices[d].defined()) continue;
        shape = broadcast_shapes("index", shape, indices[d].sizes());
        if (first < 0) first = std::int64_t(d);
        last = std::int64_t(d);
        ++many;
    }
    REEL_CHECK_INDEX(many > 0, "index: the index list holds no index");
    Plan plan;
    plan.at = last - first + 1 == many ? first : 0; // indices apart from each other move to the front
    plan.table = empty_raw(shape, kLong, self.device());
    fill_raw(plan.table, Scalar(0));
    for (std::size_t d = 0; d < indices.size(); ++d) {
        if (!indices[d].defined()) continue;
        Tensor i = indices[d];
        if (i.scalar_type() != kLong) i = cast_raw(i, kLong);
        i = checked_index("index", i, self.sizes()[d], true);
        if (i.device() != self.device()) i = i.to(self.device());
        const std::int64_t stride = self.strides()[d];
        const NoGradGuard off;
        plan.table.add_(expand_raw(i, shape), Scalar(stride));
    }
    const auto rest = [&](std::size_t d) {
        plan.sizes.push_back(self.sizes()[d]);
        plan.strides.push_back(self.strides()[d]);
    };
    const auto table = [&] {
        for (std::int64_t s : shape) {
            plan.sizes.push_back(s);
            plan.strides.push_back(0);
        }
    };
    if (plan.at == 0) table();
    bool placed = plan.at == 0;
    for (std::size_t d = 0; d < indices.size(); ++d) {
        if (!indices[d].defined()) rest(d);
        else if (!placed) {
            table();
            placed = true;
        }
    }
    return plan;
}

/// `values` over the plan's shape; leading dimensions of size one beyond it are dropped.
Tensor fitted_values(const Plan& plan, const Tensor& self, const Tensor& values) {
    REEL_CHECK(values.scalar_type() == self.scalar_type(), "index_put: values must have the dtype of input, got ",
               toString(values.scalar_type()), " and ", toString(self.scalar_type()));
    Dims sizes(values.sizes()), strides(values.strides());
    while (sizes.size() > plan.sizes.size() && sizes[0] == 1) {
        sizes.erase(sizes.begin());
        strides.erase(strides.begin());
    }
    bool fits = sizes.size() <= plan.sizes.size();
    for (std::size_t i = 0; fits && i < sizes.size(); ++i) {
        const std::int64_t want = plan.sizes[plan.sizes.size() - sizes.size() + i];
        fits = sizes[i] == want || sizes[i] == 1;
    }
    REEL_CHECK(fits, "index_put: values of sizes ", values.sizes(), " do not broadcast to the indexed part, ",
               IntArrayRef(plan.sizes));
    return expand_raw(alias_raw(values, sizes, strides, values.storage_offset()), plan.sizes);
}

void put_raw(const Plan& plan, const Tensor& self, const Tensor& values, bool accumulate) {
    const Tensor from = fitted_values(plan, self, values);
    if (from.numel() == 0) return;
    kernels::scatter(accumulate ? ScatterMode::Add : ScatterMode::Assign, plan.operand(self), plan.expanded_table(),
                     from, 1, !shape::Geometry::of(self).overlaps());
}

/// The index list as a rule saved it; entries that are None come back undefined.
std::vector<Tensor> saved_list(const RuleContext& c) {
    std::vector<Tensor> list(c.num_saved());
    for (std::size_t i = 0; i < list.size(); ++i) list[i] = c.saved(i);
    return list;
}

} // namespace

Tensor index_by(const Tensor& self, TensorList indices) {
    Tensor out;
    if (indices.size() == 1 && kernels::take_rows.has(self.device().type())) out = kernels::take_rows(self, indices[0]);
    if (!out.defined()) {
        const Plan plan = make_plan(self, indices);
        out = empty_raw(plan.sizes, self);
        if (out.numel() > 0) kernels::gather(out, plan.operand(self), plan.expanded_table(), 1);
    }
    if (!needs_recording_of("index", out, self)) return out;
    record("index", TensorList(self), TensorList(out), indices,
           [sizes = Dims(self.sizes())](RuleContext& c) -> GradList {
               return {index_put_by(zeros_raw(sizes, c.grad()), saved_list(c), c.grad(), true)};
           });
    return out;
}

Tensor index_put_by(const Tensor& self, TensorList indices, const Tensor& values, bool accumulate) {
    const Tensor out = empty_raw(self.sizes(), self);
    assign_raw(out, self);
    put_raw(make_plan(out, indices), out, values, accumulate);
    if (!needs_recording_of("index_put", out, self, values)) return out;
    record("index_put", TensorList{self, values}, TensorList(out), indices,
           [accumulate, shape = Dims(values.sizes())](RuleContext& c) -> GradList {
               const std::vector<Tensor> list = saved_list(c);
               GradList g(2);
               if (c.needs(0))
                   g[0] = accumulate ? c.grad() : index_put_by(c.grad(), list, zeros_raw({}, c.grad()), false);
               if (c.needs(1)) {
                   g[1] = index_by(c.grad(), list);
                   Dims lead; // values may have had more leading dimensions of size one
                   for (std::size_t i = g[1].sizes().size(); i < shape.size(); ++i) lead.push_back(1);
                   for (std::int64_t s : g[1].sizes()) lead.push_back(s);
                   if (lead.size() != g[1].sizes().size()) g[1] = g[1].reshape(lead);
               }
               return g;
           });
    return out;
}

void index_put_in_place(const Tensor& self, TensorList indices, const Tensor& values, bool accumulate) {
    const bool records = GradMode::is_enabled() && (self.requires_grad() || values.requires_grad());
    if (records || self.storage() == values.storage()) {
        in_place("index_put_", self, [&](const Tensor& x) { return index_put_by(x, indices, values, accumulate); });
        return;
    }
    check_inplace(self, "index_put_");
    const bool shortcut = !accumulate && indices.size() == 1 && kernels::put_rows.has(self.device().type());
    if (!shortcut || !kernels::put_rows(self, indices[0], values))
        put_raw(make_plan(self, indices), self, values, accumulate);
    rebase_history(self, Tensor(), "index_put_");
}

/// Elements at the positions that `indices` name: one entry per leading dimension, None meaning all of it, by NumPy's
/// rules for index tensors and masks.
REEL_OP("index(Tensor input, Tensor?[] indices) -> Tensor", rule, cpp("index_op"), any_device("indices"),
        samples(call(numbers({3, 4}), tensors({longs({0, 2, 2})})),
                call(numbers({3, 4}), tensors({Tensor(), longs({3, 1})})),
                call(numbers({3, 4}), tensors({numbers({3, 4}) > 0}))))
Tensor index_op(const Tensor& input, TensorList indices) { return index_by(input, indices); }

/// A copy of `input` with `values` (broadcast) written at, or added to, the positions that `indices` name.
REEL_OP("index_put(Tensor input, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor", rule,
        inplace_native, any_device("indices"))
Tensor index_put(const Tensor& input, TensorList indices, const Tensor& values, bool accumulate) {
    return index_put_by(input, indices, values, accumulate);
}
Tensor& index_put_(const Tensor& input, TensorList indices, const Tensor& values, bool accumulate) {
    index_put_in_place(input, indices, values, accumulate);
    return const_cast<Tensor&>(input);
}

/// The elements where `mask` holds, in row-major order. `input` and `mask` broadcast.
REEL_OP("masked_select(Tensor input, Tensor mask) -> Tensor", rule, method, out_exact)
Tensor masked_select(const Tensor& input, const Tensor& mask) {
    REEL_CHECK(mask.scalar_type() == kBool, "masked_select: mask must be bool, got ", toString(mask.scalar_type()));
    const Dims sizes = broadcast_shapes("masked_select", input.sizes(), mask.sizes());
    if (sizes.empty()) return index_by(input.reshape({1}), {at_least_1d_raw(mask)});
    if (sizes.size() == 1) return index_by(input.expand(sizes), {expand_raw(mask, sizes)});
    const Tensor places = contiguous_raw(expand_raw(mask, sizes)); // places in one row are found without coordinates
    return index_by(input.expand(sizes).reshape({places.numel()}),
                    {alias_raw(places, {places.numel()}, {1}, places.storage_offset())});
}

/// A copy of `input` whose elements under `mask` are the first elements of `source`, in row-major order.
REEL_OP("masked_scatter(Tensor input, Tensor mask, Tensor source) -> Tensor", composite, method, inplace)
Tensor masked_scatter(const Tensor& input, const Tensor& mask, const Tensor& source) {
    REEL_CHECK(mask.scalar_type() == kBool, "masked_scatter: mask must be bool, got ", toString(mask.scalar_type()));
    REEL_CHECK(source.scalar_type() == input.scalar_type(), "masked_scatter: source must have the dtype of input, got ",
               toString(source.scalar_type()), " and ", toString(input.scalar_type()));
    const Dims sizes = broadcast_shapes("masked_scatter", input.sizes(), mask.sizes());
    const Tensor flat_mask = contiguous_raw(expand_raw(mask, sizes));
    const Tensor at =
        select_raw(nonzero(alias_raw(flat_mask, {flat_mask.numel()}, {1}, flat_mask.storage_offset())), 1, 0);
    REEL_CHECK(source.numel() >= at.numel(), "masked_scatter: source has ", source.numel(),
               " elements, the mask is true at ", at.numel());
    const Tensor from = source.reshape({-1}).slice(0, 0, at.numel());
    return input.expand(sizes).reshape({count(sizes)}).index_copy(0, at, from).reshape(sizes);
}

void warn_of_byte_mask() {
    REEL_WARN_DEPRECATION("index: indexing with dtype torch.uint8 is now deprecated, since such a mask may one day be "
                          "taken for positions; use a bool one (mask.to(kBool))");
}

} // namespace reel
