#include <reel/autograd/ops/pointwise/comparison.hpp>
#include <reel/rl/specs/binary.hpp>

#include "specs/choices.hpp"
#include "specs/dispatch.hpp"

namespace reel::rl {
namespace detail {
namespace {

struct BinaryImpl : SpecImpl {
    using SpecImpl::SpecImpl;
    const char* name() const override { return "Binary"; }
    std::string space() const override { return "CategoricalBox(n=2)"; }
    std::string domain() const override { return str("n=", n()); }
    std::shared_ptr<SpecImpl> copy() const override { return std::make_shared<BinaryImpl>(*this); }
    bool rows() const override { return true; }
    std::int64_t n() const override { return shape.back(); }
    void fill(const Tensor& out, CPUGeneratorImpl& g) const override {
        visit_real(dtype, "Binary.rand", [&]<class T>(T*) {
            T* const to = out.data_ptr<T>();
            for (std::int64_t i = 0, end = out.numel(); i < end; ++i) to[i] = T(Wide<T>(g.random() & 1));
        });
    }
    std::int64_t outside(const Tensor& value) const override {
        return visit_real(dtype, "Binary.is_in", [&]<class T>(T*) -> std::int64_t {
            const T* const v = value.data_ptr<T>();
            for (std::int64_t i = 0, end = value.numel(); i < end; ++i)
                if (!(v[i] == T(0) || v[i] == T(1))) return i / n();
            return -1;
        });
    }
    Tensor nearest(const Tensor& value) const override { return reel::ge(value.to(kDouble), 0.5).to(dtype); }
    bool same_domain(const SpecImpl&) const override { return true; }
};

std::vector<std::int64_t> bits_shape(const std::optional<std::int64_t>& n,
                                     const std::optional<std::vector<std::int64_t>>& shape) {
    const std::int64_t bits = n ? *n : shape && !shape->empty() ? shape->back() : 0;
    REEL_CHECK_VALUE(bits >= 1, "Binary: expected at least one bit, as n or as the last size of the shape; got n ",
                     n ? std::to_string(*n) : std::string("absent"), " and shape ",
                     shape ? sizes_text(*shape) : std::string("absent"));
    return shape_ending("Binary", bits, shape);
}

} // namespace
} // namespace detail

Binary::Binary(std::optional<std::int64_t> n, std::optional<std::vector<std::int64_t>> shape, ScalarType dtype,
               std::optional<Device> device)
    : TensorSpec(std::make_shared<const detail::BinaryImpl>(detail::bits_shape(n, shape), dtype, device)) {}

} // namespace reel::rl
