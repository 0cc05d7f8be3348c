#include <reel/autograd/ops/factory/zeros_like.hpp>
#include <reel/autograd/ops/reduce/minmax.hpp>
#include <reel/autograd/ops/shape/join.hpp>
#include <reel/autograd/ops/shape/split.hpp>
#include <reel/autograd/ops/shape/stack.hpp>
#include <reel/rl/specs/one_hot.hpp>

#include <algorithm>

#include "specs/choices.hpp"
#include "specs/dispatch.hpp"

namespace reel::rl {
namespace detail {
namespace {

struct OneHotImpl : SpecImpl {
    Choices choices;

    OneHotImpl(Choices choices, std::vector<std::int64_t> shape, ScalarType dtype, std::optional<Device> device)
        : SpecImpl(std::move(shape), dtype, device), choices(std::move(choices)) {}
    const char* name() const override { return choices.several ? "MultiOneHot" : "OneHot"; }
    std::string space() const override { return choices.space(); }
    std::string domain() const override { return choices.text(); }
    std::shared_ptr<SpecImpl> copy() const override { return std::make_shared<OneHotImpl>(*this); }
    bool rows() const override { return true; }
    std::int64_t n() const override { return choices.total(); }
    const std::vector<std::int64_t>& nvec() const override { return choices.several ? choices.nvec : SpecImpl::nvec(); }
    void fill(const Tensor& out, CPUGeneratorImpl& g) const override {
        visit_real(dtype, "OneHot.rand", [&]<class T>(T*) {
            T* to = out.data_ptr<T>();
            std::fill_n(to, out.numel(), T(0));
            const std::int64_t rows = out.numel() / shape.back();
            for (std::int64_t r = 0; r < rows; ++r)
                for (const std::int64_t n : choices.nvec) {
                    to[g.random() % std::uint64_t(n)] = T(1);
                    to += n;
                }
        });
    }
    std::int64_t outside(const Tensor& value) const override {
        return visit_real(dtype, "OneHot.is_in", [&]<class T>(T*) -> std::int64_t {
            const T* v = value.data_ptr<T>();
            const std::int64_t rows = value.numel() / shape.back();
            for (std::int64_t r = 0; r < rows; ++r)
                for (const std::int64_t n : choices.nvec) {
                    std::int64_t ones = 0, zeros = 0;
                    for (std::int64_t i = 0; i < n; ++i) {
                        ones += v[i] == T(1);
                        zeros += v[i] == T(0);
                    }
                    if (ones != 1 || zeros != n - 1) return r;
                    v += n;
                }
            return -1;
        });
    }
    Tensor nearest(const Tensor& value) const override {
        std::vector<Tensor> parts;
        for (const Tensor& part : reel::split(value, choices.nvec, -1)) {
            const Tensor position = reel::argmax(part.scalar_type() == kBool ? part.to(kByte) : part, -1, true);
            parts.push_back(reel::zeros_like(part).to(dtype).scatter_(-1, position, 1));
        }
        return parts.size() == 1 ? parts[0] : reel::cat(parts, -1);
    }
    bool same_domain(const SpecImpl& o) const override {
        return static_cast<const OneHotImpl&>(o).choices.nvec == choices.nvec;
    }
    Tensor to_one_hot(const Tensor& value) const override { return value; }
    TensorSpec to_one_hot_spec() const override { return TensorSpec(copy()); }
    Tensor to_categorical(const Tensor& value) const override {
        TensorSpec(copy()).check(value, str(name(), ".to_categorical"));
        std::vector<Tensor> parts;
        for (const Tensor& part : reel::split(value, choices.nvec, -1))
            parts.push_back(reel::argmax(part.scalar_type() == kBool ? part.to(kByte) : part, -1));
        return choices.several ? reel::stack(parts, -1) : parts[0];
    }
    TensorSpec to_categorical_spec() const override {
        std::vector<std::int64_t> sizes = shape;
        if (choices.several) sizes.back() = std::int64_t(choices.nvec.size());
        else sizes.pop_back();
        return TensorSpec(make_categorical(choices, std::move(sizes), kLong, device));
    }
};

} // namespace

std::shared_ptr<const SpecImpl> make_one_hot(Choices choices, std::vector<std::int64_t> shape, ScalarType dtype,
                                             std::optional<Device> device) {
    return std::make_shared<const OneHotImpl>(std::move(choices), std::move(shape), dtype, device);
}
namespace {
std::shared_ptr<const SpecImpl> checked_one_hot(const char* name, Choices choices,
                                                const std::optional<std::vector<std::int64_t>>& shape, ScalarType dtype,
                                                std::optional<Device> device) {
    choices.check(name);
    std::vector<std::int64_t> sizes = shape_ending(name, choices.total(), shape);
    return make_one_hot(std::move(choices), std::move(sizes), dtype, device);
}
} // namespace
} // namespace detail

OneHot::OneHot(std::int64_t n, std::optional<std::vector<std::int64_t>> shape, ScalarType dtype,
               std::optional<Device> device)
    : TensorSpec(detail::checked_one_hot("OneHot", {{n}, false}, shape, dtype, device)) {}
MultiOneHot::MultiOneHot(std::vector<std::int64_t> nvec, std::optional<std::vector<std::int64_t>> shape,
                         ScalarType dtype, std::optional<Device> device)
    : TensorSpec(detail::checked_one_hot("MultiOneHot", {std::move(nvec), true}, shape, dtype, device)) {}

} // namespace reel::rl
