// Literals and foreign memory as tensors.
#include <reel/autograd/tensor_factory.hpp>

#include <cstring>
#include <memory>

#include <reel/autograd/detail/launch_observer.hpp>
#include <reel/autograd/error.hpp>

#include "tensor/convert.hpp"
#include "tensor/raw.hpp"

namespace reel {

namespace detail {
namespace {
struct LiteralShape {
    Dims sizes;
    ScalarType dtype = ScalarType::Undefined;
};

void measure(const TensorLiteral& l, std::size_t depth, LiteralShape& shape, bool first) {
    if (l.is_scalar()) {
        REEL_CHECK(depth == shape.sizes.size(),
                   "tensor: a number stands where other elements of the same dimension are lists");
        REEL_CHECK(shape.dtype == ScalarType::Undefined || shape.dtype == l.dtype(),
                   "tensor: elements of one literal must have one type, got ", shape.dtype, " and ", l.dtype());
        shape.dtype = l.dtype();
        return;
    }
    const auto n = std::int64_t(l.elements().size());
    if (first && depth == shape.sizes.size()) shape.sizes.push_back(n);
    REEL_CHECK(depth < shape.sizes.size() && shape.sizes[depth] == n, "tensor: lists of dimension ", depth,
               " differ in length: expected ", depth < shape.sizes.size() ? shape.sizes[depth] : 0, " elements, got ",
               n);
    if (n == 0 && l.dtype() != ScalarType::Undefined) shape.dtype = l.dtype();
    bool leading = first;
    for (const TensorLiteral& e : l.elements()) {
        measure(e, depth + 1, shape, leading);
        leading = false;
    }
}
template <class T> void flatten(const TensorLiteral& l, T*& out) {
    if (l.is_scalar()) *out++ = l.scalar().to<T>();
    for (const TensorLiteral& e : l.elements()) flatten(e, out);
}
struct BlobContext {
    std::function<void(void*)> deleter;
};
} // namespace

namespace {
/// Integers are int64, floating numbers the default dtype, complex ones its complex partner.
ScalarType literal_dtype(ScalarType found, const TensorOptions& options) {
    if (options.has_dtype()) return options.dtype();
    if (found == kBool) return kBool;
    if (found != ScalarType::Undefined && isIntegralType(found)) return kLong;
    return isComplexType(found) ? toComplexType(get_default_dtype()) : ScalarType(get_default_dtype());
}
Tensor finish(const Tensor& t, ScalarType dtype, const TensorOptions& options) {
    REEL_CHECK_TYPE(!t.is_complex() || isComplexType(dtype), "tensor: complex elements cannot become ",
                    dtype_name(dtype), "; take their real part first");
    Tensor r = convert(t, dtype, options.device(), false, std::nullopt);
    if (options.requires_grad()) r.requires_grad_();
    return r;
}
} // namespace

Tensor tensor_from_elements(const void* elements, std::size_t n, ScalarType type, const TensorOptions& options) {
    Tensor t = empty_raw({std::int64_t(n)}, type);
    if (n) std::memcpy(t.data_ptr(), elements, n * elementSize(type));
    if (launch_observer) [[unlikely]]
        note_generated(t);
    return finish(t, literal_dtype(type, options), options);
}
Tensor tensor_from_tensor(const Tensor& data, const TensorOptions& options) {
    REEL_CHECK(data.defined(), "tensor: got an undefined tensor");
    const ScalarType dtype = options.has_dtype() ? ScalarType(options.dtype()) : data.scalar_type();
    const Device device = options.has_device() ? options.device() : data.device();
    return finish(data.detach().clone(), dtype, TensorOptions(options).device(device));
}
Tensor tensor_from_literal(const TensorLiteral& literal, const TensorOptions& options) {
    LiteralShape shape;
    measure(literal, 0, shape, true);
    const ScalarType found = shape.dtype;
    const bool exact_integers = found != ScalarType::Undefined && isIntegralType(found, true);
    Tensor wide = empty_raw(shape.sizes, exact_integers ? kLong : isComplexType(found) ? kComplexDouble : kDouble);
    void* const at = wide.data_ptr();
    if (exact_integers) {
        auto* p = static_cast<std::int64_t*>(at);
        flatten(literal, p);
    } else if (wide.scalar_type() == kComplexDouble) {
        auto* p = static_cast<std::complex<double>*>(at);
        flatten(literal, p);
    } else {
        auto* p = static_cast<double*>(at);
        flatten(literal, p);
    }
    if (launch_observer) [[unlikely]]
        note_generated(wide);
    return finish(wide, literal_dtype(found, options), options);
}
} // namespace detail

Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides, std::function<void(void*)> deleter,
                 const TensorOptions& options) {
    REEL_CHECK_VALUE(sizes.size() == strides.size(), "from_blob: ", sizes.size(), " sizes and ", strides.size(),
                     " strides");
    std::int64_t numel = 1, extent = 1;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        REEL_CHECK_VALUE(sizes[i] >= 0 && strides[i] >= 0, "from_blob: sizes ", sizes, " and strides ", strides,
                         " must not be negative");
        numel *= sizes[i];
        if (sizes[i] > 0) extent += (sizes[i] - 1) * strides[i];
    }
    REEL_CHECK(data || numel == 0, "from_blob: data is null but sizes ", sizes, " have ", numel, " elements");
    const ScalarType dtype = options.dtype();
    const std::size_t nbytes = numel ? std::size_t(extent) * elementSize(dtype) : 0;
    StoragePtr storage =
        deleter ? Storage::wrap(
                      data, nbytes, options.device(),
                      [](void* p, std::size_t, void* context) {
                          const std::unique_ptr<detail::BlobContext> owned(static_cast<detail::BlobContext*>(context));
                          owned->deleter(p);
                      },
                      new detail::BlobContext{std::move(deleter)})
                : Storage::wrap(data, nbytes, options.device(), nullptr, nullptr);
    Tensor t = detail::tensor_on_storage(std::move(storage), sizes, strides, dtype);
    if (options.requires_grad()) t.requires_grad_();
    return t;
}
Tensor from_blob(void* data, IntArrayRef sizes, std::function<void(void*)> deleter, const TensorOptions& options) {
    return from_blob(data, sizes, detail::contiguous_strides(sizes), std::move(deleter), options);
}
Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides, const TensorOptions& options) {
    return from_blob(data, sizes, strides, nullptr, options);
}
Tensor from_blob(void* data, IntArrayRef sizes, const TensorOptions& options) {
    return from_blob(data, sizes, detail::contiguous_strides(sizes), nullptr, options);
}

} // namespace reel
