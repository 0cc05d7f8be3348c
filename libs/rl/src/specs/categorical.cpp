#include <reel/autograd/ops/factory/zeros_like.hpp>
#include <reel/autograd/ops/nn/embedding.hpp>
#include <reel/autograd/ops/pointwise/clamp.hpp>
#include <reel/autograd/ops/pointwise/rounding.hpp>
#include <reel/autograd/ops/shape/join.hpp>
#include <reel/rl/specs/categorical.hpp>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include <reel/autograd/tensor_factory.hpp>

#include "specs/choices.hpp"
#include "specs/dispatch.hpp"

namespace reel::rl {
namespace detail {
namespace {

struct CategoricalImpl : SpecImpl {
    Choices choices;

    CategoricalImpl(Choices choices, std::vector<std::int64_t> shape, ScalarType dtype, std::optional<Device> device)
        : SpecImpl(std::move(shape), dtype, device), choices(std::move(choices)) {}
    const char* name() const override { return choices.several ? "MultiCategorical" : "Categorical"; }
    std::string space() const override { return choices.space(); }
    std::string domain() const override { return choices.text(); }
    std::shared_ptr<SpecImpl> copy() const override { return std::make_shared<CategoricalImpl>(*this); }
    bool rows() const override { return choices.several; }
    std::int64_t n() const override { return choices.several ? SpecImpl::n() : choices.nvec[0]; }
    const std::vector<std::int64_t>& nvec() const override { return choices.several ? choices.nvec : SpecImpl::nvec(); }
    void fill(const Tensor& out, CPUGeneratorImpl& g) const override {
        visit_real(dtype, "Categorical.rand", [&]<class T>(T*) {
            T* const to = out.data_ptr<T>();
            const std::size_t parts = choices.nvec.size();
            const std::int64_t count = out.numel();
            for (std::int64_t i = 0; i < count; ++i) {
                const std::uint64_t n = std::uint64_t(choices.nvec[std::size_t(i) % parts]);
                to[i] = T(Wide<T>(n >> 32 ? g.random64() % n : g.random() % n));
            }
        });
    }
    std::int64_t outside(const Tensor& value) const override {
        return visit_real(dtype, "Categorical.is_in", [&]<class T>(T*) -> std::int64_t {
            const T* const v = value.data_ptr<T>();
            const std::size_t parts = choices.nvec.size();
            const std::int64_t count = value.numel();
            for (std::int64_t i = 0; i < count; ++i) {
                const double x = double(Wide<T>(v[i]));
                if (!(x >= 0 && x < double(choices.nvec[std::size_t(i) % parts]) && x == std::floor(x)))
                    return i / std::int64_t(parts);
            }
            return -1;
        });
    }
    Tensor nearest(const Tensor& value) const override {
        const Tensor known = reel::nan_to_num(value.to(kDouble), 0.0);
        const Tensor high = reel::tensor(choices.nvec, TensorOptions(kDouble)).to(value.device(), kDouble).sub(1);
        return reel::clamp(reel::round(known), reel::zeros_like(high), high).to(dtype);
    }
    bool same_domain(const SpecImpl& o) const override {
        return static_cast<const CategoricalImpl&>(o).choices.nvec == choices.nvec;
    }
    Tensor to_categorical(const Tensor& value) const override { return value; }
    TensorSpec to_categorical_spec() const override { return TensorSpec(copy()); }
    Tensor to_one_hot(const Tensor& value) const override {
        TensorSpec(copy()).check(value, str(name(), ".to_one_hot"));
        const Tensor index = value.to(kLong);
        if (!choices.several) return reel::one_hot(index, choices.nvec[0]).to(kBool);
        std::vector<Tensor> parts;
        for (std::size_t i = 0; i < choices.nvec.size(); ++i)
            parts.push_back(reel::one_hot(index.select(-1, std::int64_t(i)), choices.nvec[i]));
        return reel::cat(parts, -1).to(kBool);
    }
    TensorSpec to_one_hot_spec() const override {
        std::vector<std::int64_t> sizes = shape;
        if (choices.several) sizes.back() = choices.total();
        else sizes.push_back(choices.nvec[0]);
        return TensorSpec(make_one_hot(choices, std::move(sizes), kBool, device));
    }
};

} // namespace

std::shared_ptr<const SpecImpl> make_categorical(Choices choices, std::vector<std::int64_t> shape, ScalarType dtype,
                                                 std::optional<Device> device) {
    choices.check(choices.several ? "MultiCategorical" : "Categorical");
    return std::make_shared<const CategoricalImpl>(std::move(choices), std::move(shape), dtype, device);
}
namespace {
std::vector<std::int64_t> parts_shape(std::size_t parts, const std::optional<std::vector<std::int64_t>>& shape) {
    return shape_ending("MultiCategorical", std::int64_t(parts), shape);
}
} // namespace
} // namespace detail

Categorical::Categorical(std::int64_t n, IntArrayRef shape, ScalarType dtype, std::optional<Device> device)
    : TensorSpec(detail::make_categorical({{n}, false}, shape.vec(), dtype, device)) {}
MultiCategorical::MultiCategorical(std::vector<std::int64_t> nvec, std::optional<std::vector<std::int64_t>> shape,
                                   ScalarType dtype, std::optional<Device> device)
    : TensorSpec(detail::make_categorical({nvec, true}, detail::parts_shape(nvec.size(), shape), dtype, device)) {}

} // namespace reel::rl
