// What a TensorSpec points to.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <reel/autograd/random.hpp>
#include <reel/autograd/tensor.hpp>
#include <reel/rl/specs/tensor_spec.hpp>

namespace reel::rl::detail {

/// One kind of domain. Tensors that it gets are contiguous, on the CPU, and of its dtype; their sizes end with `shape`.
struct SpecImpl {
    std::vector<std::int64_t> shape;
    ScalarType dtype = kFloat;
    std::optional<Device> device;

    SpecImpl(std::vector<std::int64_t> shape, ScalarType dtype, std::optional<Device> device)
        : shape(std::move(shape)), dtype(dtype), device(device) {}
    SpecImpl(const SpecImpl&) = default;
    virtual ~SpecImpl() = default;
    virtual const char* name() const = 0;
    /// The name that is printed: BoundedContinuous.
    virtual std::string printed_name() const { return name(); }
    virtual bool discrete() const { return true; }
    /// The line "space=" of the text, and what the summary says of the domain.
    virtual std::string space() const = 0;
    virtual std::string domain() const = 0;
    /// A copy to be changed.
    virtual std::shared_ptr<SpecImpl> copy() const = 0;
    /// Does the last dimension make one value (one-hot rows, several choices, bits)?
    virtual bool rows() const { return false; }
    std::int64_t row_size() const { return rows() ? shape.back() : 1; }
    virtual void fill(const Tensor& out, CPUGeneratorImpl& generator) const = 0;
    /// The first value outside, counted in values; -1 when there is none.
    virtual std::int64_t outside(const Tensor& value) const = 0;
    /// Of any dtype in, of this one out.
    virtual Tensor nearest(const Tensor& value) const = 0;
    /// The parameters follow the shape through `f`.
    virtual void reshape(const std::function<Tensor(const Tensor&)>&) {}
    virtual void convert() {} ///< the parameters follow the dtype
    virtual bool same_domain(const SpecImpl& other) const = 0;
    virtual std::int64_t n() const;
    virtual const std::vector<std::int64_t>& nvec() const;
    virtual Tensor bound(bool high) const;
    virtual Tensor to_categorical(const Tensor& value) const;
    virtual Tensor to_one_hot(const Tensor& value) const;
    virtual TensorSpec to_categorical_spec() const;
    virtual TensorSpec to_one_hot_spec() const;
    std::string summary() const;

protected:
    [[noreturn]] void lacks(const char* what) const;
};

/// [2, 3] of sizes and of lists of numbers.
std::string sizes_text(const std::vector<std::int64_t>& sizes);

} // namespace reel::rl::detail
