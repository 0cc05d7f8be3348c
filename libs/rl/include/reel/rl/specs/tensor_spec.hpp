// What a tensor of an environment may hold.
#pragma once

#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <reel/autograd/generator.hpp>
#include <reel/autograd/indexing.hpp>
#include <reel/autograd/tensor.hpp>

namespace reel::rl {

namespace detail {
struct SpecImpl; // src/specs/spec_impl.hpp
}

/// Shape, dtype and domain of a tensor: where draws come from, what belongs, and what is nearest. An immutable handle;
/// `Bounded`, `Unbounded`, `OneHot`, `MultiOneHot`, `Categorical`, `MultiCategorical` and `Binary` make one and add
/// nothing, so that each may be kept as a TensorSpec. A default-constructed one is undefined.
class TensorSpec {
public:
    TensorSpec() = default;
    bool defined() const { return bool(impl_); }
    const std::vector<std::int64_t>& shape() const;
    std::int64_t ndim() const { return std::int64_t(shape().size()); }
    ScalarType dtype() const;
    std::optional<Device> device() const;
    /// The class: "Bounded", "OneHot", ...
    const char* name() const;
    /// Values are counted (OneHot, Categorical, Binary, integers between bounds), not measured.
    bool is_discrete() const;
    /// Number of choices of OneHot and Categorical, of bits of Binary, of positions of MultiOneHot. ValueError for
    /// others.
    std::int64_t n() const;
    /// Choices of each part of MultiOneHot and MultiCategorical. ValueError for others.
    const std::vector<std::int64_t>& nvec() const;
    /// Bounds with the spec's dtype and shape, infinite where there is none. ValueError for specs of other kinds.
    Tensor low() const;
    Tensor high() const;

    /// A draw of size [*shape, *this->shape()] (from the default generator unless one is given): uniform between finite
    /// bounds, normal without bounds, shifted exponential above or below a single one, uniform over choices.
    Tensor rand(IntArrayRef shape = {}, const Generator& generator = {}) const;
    Tensor sample(IntArrayRef shape = {}, const Generator& generator = {}) const { return rand(shape, generator); }
    Tensor zero(IntArrayRef shape = {}) const;
    Tensor one(IntArrayRef shape = {}) const;
    /// Has `value` this dtype, sizes that end with this shape, and only values of the domain?
    bool is_in(const Tensor& value) const;
    /// `value` itself when it belongs, else the nearest that does, of this dtype: clamped to bounds, NaN to the lower
    /// one; the largest position of a one-hot. Error when the sizes do not end with the shape.
    Tensor project(const Tensor& value) const;
    /// ValueError that names `what`, this spec and the first value outside it.
    void check(const Tensor& value, const std::string& what) const;

    /// Leading dimensions added or sizes of one repeated, as Tensor::expand.
    TensorSpec expand(IntArrayRef shape) const;
    /// The part at `indices` of the leading dimensions (one-hot positions cannot be indexed: IndexError).
    TensorSpec index(const std::vector<indexing::TensorIndex>& indices) const;
    TensorSpec operator[](std::int64_t i) const { return index({i}); }
    TensorSpec unsqueeze(std::int64_t dim) const;
    TensorSpec squeeze(std::int64_t dim) const;
    TensorSpec to(Device device) const;
    TensorSpec to(ScalarType dtype) const;
    /// Choices as numbers become one-hot rows and back (OneHot/Categorical, MultiOneHot/MultiCategorical). Without a
    /// value, the spec of the other kind. ValueError for other kinds.
    Tensor to_categorical(const Tensor& value) const;
    Tensor to_one_hot(const Tensor& value) const;
    TensorSpec to_categorical_spec() const;
    TensorSpec to_one_hot_spec() const;

    /// Several lines, as the Python package prints it.
    std::string str() const;
    /// One line for messages: OneHot(n=2, shape=[2], dtype=int64).
    std::string summary() const;
    friend bool operator==(const TensorSpec& a, const TensorSpec& b);

    explicit TensorSpec(std::shared_ptr<const detail::SpecImpl> impl) : impl_(std::move(impl)) {}
    const detail::SpecImpl& checked() const;

private:
    std::shared_ptr<const detail::SpecImpl> impl_;
};
std::ostream& operator<<(std::ostream& os, const TensorSpec& spec);

} // namespace reel::rl
