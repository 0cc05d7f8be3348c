#include <reel/autograd/ops/factory/empty.hpp>
#include <reel/autograd/ops/factory/ones.hpp>
#include <reel/autograd/ops/factory/zeros.hpp>
#include <reel/rl/specs/tensor_spec.hpp>

#include <algorithm>
#include <mutex>
#include <ostream>

#include <reel/autograd/random.hpp>

#include "specs/spec_impl.hpp"

namespace reel::rl {
namespace {

std::vector<std::int64_t> joined(IntArrayRef front, const std::vector<std::int64_t>& back) {
    std::vector<std::int64_t> sizes(front.begin(), front.end());
    sizes.insert(sizes.end(), back.begin(), back.end());
    return sizes;
}
bool ends_with(IntArrayRef sizes, const std::vector<std::int64_t>& end) {
    return sizes.size() >= end.size() && std::equal(end.rbegin(), end.rend(), std::make_reverse_iterator(sizes.end()));
}
/// On the CPU without gaps; nothing is copied when it is so already.
Tensor plain(const Tensor& value) {
    const Tensor here = value.device().is_cpu() ? value : value.cpu();
    return here.is_contiguous() ? here : here.contiguous();
}
Tensor placed(const Tensor& value, const std::optional<Device>& device) {
    return device && !device->is_cpu() ? value.to(*device, value.scalar_type()) : value;
}
/// The same spec with another shape; `f` does to a tensor of the old shape what happens to the shape.
TensorSpec reshaped(const detail::SpecImpl& impl, const std::function<Tensor(const Tensor&)>& f) {
    const Tensor image = f(reel::empty(IntArrayRef(), TensorOptions(kBool)).expand(impl.shape));
    const std::shared_ptr<detail::SpecImpl> copy = impl.copy();
    copy->shape.assign(image.sizes().begin(), image.sizes().end());
    copy->reshape(f);
    return TensorSpec(std::shared_ptr<const detail::SpecImpl>(copy));
}
/// Leading dimensions: without the one that is a value.
std::int64_t leading(const detail::SpecImpl& impl) { return std::int64_t(impl.shape.size()) - (impl.rows() ? 1 : 0); }

} // namespace

const detail::SpecImpl& TensorSpec::checked() const {
    REEL_CHECK(impl_,
               "TensorSpec: the spec is undefined; assign one of Bounded, Unbounded, OneHot, Categorical, Binary");
    return *impl_;
}
const std::vector<std::int64_t>& TensorSpec::shape() const { return checked().shape; }
ScalarType TensorSpec::dtype() const { return checked().dtype; }
std::optional<Device> TensorSpec::device() const { return checked().device; }
const char* TensorSpec::name() const { return checked().name(); }
bool TensorSpec::is_discrete() const { return checked().discrete(); }
std::int64_t TensorSpec::n() const { return checked().n(); }
const std::vector<std::int64_t>& TensorSpec::nvec() const { return checked().nvec(); }
Tensor TensorSpec::low() const { return placed(checked().bound(false), impl_->device); }
Tensor TensorSpec::high() const { return placed(checked().bound(true), impl_->device); }

Tensor TensorSpec::rand(IntArrayRef shape, const Generator& generator) const {
    const Tensor out =
        reel::empty(shape.empty() ? checked().shape : joined(shape, checked().shape), TensorOptions(impl_->dtype));
    const Generator& source = generator.defined() ? generator : reel::detail::getDefaultCPUGenerator();
    {
        const std::lock_guard lock(source.mutex());
        impl_->fill(out, source.impl());
    }
    return placed(out, impl_->device);
}
Tensor TensorSpec::zero(IntArrayRef shape) const {
    return placed(reel::zeros(joined(shape, checked().shape), TensorOptions(impl_->dtype)), impl_->device);
}
Tensor TensorSpec::one(IntArrayRef shape) const {
    return placed(reel::ones(joined(shape, checked().shape), TensorOptions(impl_->dtype)), impl_->device);
}
bool TensorSpec::is_in(const Tensor& value) const {
    return value.defined() && value.scalar_type() == checked().dtype && ends_with(value.sizes(), impl_->shape) &&
           impl_->outside(plain(value)) < 0;
}
Tensor TensorSpec::project(const Tensor& value) const {
    REEL_CHECK(value.defined() && ends_with(value.sizes(), checked().shape), summary(),
               ".project: expected sizes that end with ", detail::sizes_text(impl_->shape), ", got ",
               value.defined() ? detail::sizes_text(value.sizes().vec()) : std::string("an undefined tensor"));
    return is_in(value) ? value : impl_->nearest(value);
}
void TensorSpec::check(const Tensor& value, const std::string& what) const {
    REEL_CHECK_VALUE(value.defined(), what, ": expected a value of ", summary(), ", got an undefined tensor");
    REEL_CHECK_VALUE(ends_with(value.sizes(), checked().shape), what, ": expected sizes that end with those of ",
                     summary(), ", got ", detail::sizes_text(value.sizes().vec()));
    REEL_CHECK_VALUE(value.scalar_type() == impl_->dtype, what, ": expected dtype ", dtype_name(impl_->dtype), " of ",
                     summary(), ", got ", dtype_name(value.scalar_type()), "; project() converts");
    const Tensor flat = plain(value);
    const std::int64_t at = impl_->outside(flat);
    if (at < 0) return;
    const Tensor rows = flat.detach().reshape({-1, impl_->row_size()});
    const Tensor row = impl_->rows() ? rows[at] : rows[at][0];
    REEL_THROW(ValueError, what, ": ", row,
               rows.size(0) > 1 ? reel::str(" (value ", at, " of ", rows.size(0), ")") : "", " is not in ", summary(),
               "; project() gives the nearest value that is");
}

TensorSpec TensorSpec::expand(IntArrayRef shape) const {
    const auto lasts = [&] { return std::equal(shape.end() - 1, shape.end(), impl_->shape.end() - 1); };
    REEL_CHECK(!checked().rows() || (!shape.empty() && lasts()), summary(),
               ".expand: the last size is that of a value, ", impl_->shape.back(), "; got ",
               detail::sizes_text(shape.vec()));
    return reshaped(*impl_, [sizes = shape.vec()](const Tensor& t) { return t.expand(sizes); });
}
TensorSpec TensorSpec::index(const std::vector<indexing::TensorIndex>& indices) const {
    const std::int64_t dims = leading(checked());
    std::int64_t used = 0;
    for (const indexing::TensorIndex& i : indices) {
        using Kind = indexing::TensorIndex::Kind;
        if (i.kind() == Kind::Tensor) used += i.tensor().scalar_type() == kBool ? i.tensor().dim() : 1;
        else if (i.kind() == Kind::Integer || i.kind() == Kind::Slice) ++used;
    }
    REEL_CHECK_INDEX(used <= dims, summary(), ".index: got ", used, " indices for ", dims, " leading dimensions");
    return reshaped(*impl_, [&](const Tensor& t) { return t.index(ArrayRef<indexing::TensorIndex>(indices)); });
}
TensorSpec TensorSpec::unsqueeze(std::int64_t dim) const {
    const std::int64_t dims = leading(checked());
    REEL_CHECK_INDEX(dim >= -dims - 1 && dim <= dims, summary(), ".unsqueeze: dimension ", dim, " is not one of ",
                     -dims - 1, " to ", dims);
    if (dim < 0) dim += dims + 1;
    return reshaped(*impl_, [&](const Tensor& t) { return t.unsqueeze(dim); });
}
TensorSpec TensorSpec::squeeze(std::int64_t dim) const {
    const std::int64_t dims = leading(checked());
    REEL_CHECK_INDEX(dim >= -dims && dim < dims, summary(), ".squeeze: dimension ", dim, " is not one of ", -dims,
                     " to ", dims - 1);
    if (dim < 0) dim += dims;
    return reshaped(*impl_, [&](const Tensor& t) { return t.squeeze(dim); });
}
TensorSpec TensorSpec::to(Device device) const {
    const std::shared_ptr<detail::SpecImpl> copy = checked().copy();
    copy->device = device;
    return TensorSpec(std::shared_ptr<const detail::SpecImpl>(copy));
}
TensorSpec TensorSpec::to(ScalarType dtype) const {
    const std::shared_ptr<detail::SpecImpl> copy = checked().copy();
    copy->dtype = dtype;
    copy->convert();
    return TensorSpec(std::shared_ptr<const detail::SpecImpl>(copy));
}
Tensor TensorSpec::to_categorical(const Tensor& value) const { return checked().to_categorical(value); }
Tensor TensorSpec::to_one_hot(const Tensor& value) const { return checked().to_one_hot(value); }
TensorSpec TensorSpec::to_categorical_spec() const { return checked().to_categorical_spec(); }
TensorSpec TensorSpec::to_one_hot_spec() const { return checked().to_one_hot_spec(); }

std::string TensorSpec::str() const {
    const detail::SpecImpl& i = checked();
    return reel::str(i.printed_name(), "(\n    shape=torch.Size(", detail::sizes_text(i.shape),
                     "),\n    space=", i.space(), ",\n    device=", i.device ? i.device->str() : std::string("cpu"),
                     ",\n    dtype=torch.", dtype_name(i.dtype),
                     ",\n    domain=", i.discrete() ? "discrete" : "continuous", ")");
}
std::string TensorSpec::summary() const { return checked().summary(); }
bool operator==(const TensorSpec& a, const TensorSpec& b) {
    if (a.impl_ == b.impl_) return true;
    if (!a.impl_ || !b.impl_) return false;
    const detail::SpecImpl &l = *a.impl_, &r = *b.impl_;
    return std::string_view(l.name()) == r.name() && l.shape == r.shape && l.dtype == r.dtype && l.device == r.device &&
           l.same_domain(r);
}
std::ostream& operator<<(std::ostream& os, const TensorSpec& spec) {
    return os << (spec.defined() ? spec.str() : std::string("TensorSpec()"));
}

} // namespace reel::rl
