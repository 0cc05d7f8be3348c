// Tensors made of numbers and lists, and copies to another dtype or device.
#include <reel/autograd/error.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops/factory/empty.hpp>
#include <reel/autograd/ops/factory/full.hpp>
#include <reel/autograd/tensor_factory.hpp>

#include "ops/numbers.hpp"
#include "ops/own.hpp"

namespace reel::jit::own {

namespace {

using Span = std::span<IValue>;
using Int = std::int64_t;

/// The dtype that a Python number makes.
ScalarType natural_dtype(const IValue& v) {
    if (v.isTensor()) return v.toTensor().scalar_type();
    if (v.isBool()) return kBool;
    if (v.isInt()) return kLong;
    const bool wide = get_default_dtype() == kDouble;
    return v.isComplexDouble() ? (wide ? kComplexDouble : kComplexFloat) : get_default_dtype();
}
/// The sizes of nested lists; ValueError where they are not a box.
std::vector<Int> box_of(const IValue& v) {
    std::vector<Int> sizes;
    for (const IValue* at = &v; at->isSequence(); at = &at->elements()[0]) {
        sizes.push_back(Int(at->elements().size()));
        if (at->elements().empty() || sizes.size() > 64) break;
    }
    return sizes;
}
void flatten(const IValue& v, const std::vector<Int>& sizes, std::size_t depth, std::vector<IValue>& out) {
    if (depth == sizes.size()) {
        REEL_CHECK_VALUE(!v.isSequence(), "tensor: the lists are nested more deeply in one place than in another");
        out.push_back(v);
        return;
    }
    REEL_CHECK_VALUE(v.isSequence() && Int(v.elements().size()) == sizes[depth], "Expected sequence of length ",
                     sizes[depth], " at dim ", depth, " (got ", v.isSequence() ? Int(v.elements().size()) : Int(0),
                     ")");
    for (const IValue& e : v.elements()) flatten(e, sizes, depth + 1, out);
}
template <class T> Tensor filled(const std::vector<IValue>& numbers, const std::vector<Int>& sizes, ScalarType as) {
    Tensor t = empty(sizes, as);
    T* p = t.data_ptr<T>();
    for (const IValue& v : numbers) {
        const Scalar s = v.isTensor() ? v.toTensor().item() : v.toScalar();
        *p++ = s.to<T>();
    }
    return t;
}
Tensor from_numbers(const IValue& v, std::optional<ScalarType> dtype, std::optional<Device> device) {
    const std::vector<Int> sizes = box_of(v);
    std::vector<IValue> numbers;
    flatten(v, sizes, 0, numbers);
    const ScalarType natural = numbers.empty() ? get_default_dtype() : natural_dtype(numbers[0]);
    // Computed in the widest form of the kind, then converted.
    NoGradGuard no_grad;
    Tensor t = isComplexType(natural)    ? filled<std::complex<double>>(numbers, sizes, kComplexDouble)
               : isFloatingType(natural) ? filled<double>(numbers, sizes, kDouble)
                                         : filled<Int>(numbers, sizes, kLong);
    t = t.to(dtype.value_or(natural));
    return device ? t.to(*device) : t;
}
std::optional<Device> optional_device(const IValue& v) {
    return v.isNone() ? std::nullopt : std::optional(v.toDevice());
}
IValue tensor(Span a) {
    if (a[0].isTensor()) {
        Tensor t = a[0].toTensor().detach().clone();
        if (const auto dtype = optional_dtype(a[1])) t = t.to(*dtype);
        return t;
    }
    Tensor t = from_numbers(a[0], optional_dtype(a[1]), optional_device(a[2]));
    if (a.size() > 3 && a[3].toBool()) t.requires_grad_();
    return t;
}
IValue as_tensor(Span a) {
    if (!a[0].isTensor()) return from_numbers(a[0], optional_dtype(a[1]), optional_device(a[2]));
    Tensor t = a[0].toTensor();
    if (const auto dtype = optional_dtype(a[1])) t = t.to(*dtype);
    if (const auto device = optional_device(a[2])) t = t.to(*device);
    return t;
}
/// A number as a tensor of its own kind, floats in double, whatever the default dtype is.
IValue num_to_tensor(Span a) {
    const IValue& v = a[0];
    return scalar_tensor(v.toScalar(), TensorOptions().dtype(v.toScalar().type()));
}

/// `to` in the forms that take a device and a dtype in any order. `format` may be None.
Tensor moved(const Tensor& t, std::optional<Device> device, std::optional<ScalarType> dtype, bool copy,
             const IValue& format = {}) {
    Tensor out = t;
    if (dtype) out = out.to(*dtype);
    if (device) out = out.to(*device);
    if (!format.isNone())
        out = out.to(out.scalar_type(), false, copy && out.is_same(t), static_cast<MemoryFormat>(format.toInt()));
    return copy && out.is_same(t) ? t.clone() : out;
}
IValue to_device_and_dtype(Span a) {
    return moved(a[0].toTensor(), optional_device(a[1]), optional_dtype(a[2]), a[4].toBool(),
                 a.size() > 5 ? a[5] : IValue());
}
IValue to_dtype(Span a) { return moved(a[0].toTensor(), std::nullopt, optional_dtype(a[1]), a[3].toBool()); }
IValue to_nothing(Span a) { return moved(a[0].toTensor(), std::nullopt, std::nullopt, a[2].toBool()); }
IValue to_options(Span a) {
    return moved(a[0].toTensor(), optional_device(a[3]), optional_dtype(a[1]), a[6].toBool(), a[7]);
}
IValue to_copy(Span a) { return moved(a[0].toTensor(), optional_device(a[3]), optional_dtype(a[1]), true, a.back()); }
IValue cpu(Span a) { return a[0].toTensor().to(kCPU); }
IValue clone(Span a) { return a[0].toTensor().clone(); }
IValue itself(Span a) { return std::move(a[0]); }
/// `copy(self, src)`: what `copy_` would leave, in a tensor of its own.
IValue copied(Span a) {
    const Tensor& t = a[0].toTensor();
    return moved(a[1].toTensor(), t.device(), t.scalar_type(), false).expand(t.sizes()).clone();
}
IValue copied_onto(Span a) {
    Tensor t = a[0].toTensor();
    if (a[1].isTensor()) t.copy_(a[1].toTensor());
    else t.fill_(a[1].toScalar());
    return t;
}
IValue device_of_text(Span a) { return Device(a[0].toStringRef()); }
IValue device_with_index(Span a) { return Device(a[0].toStringRef() + ":" + std::to_string(a[1].toInt())); }
IValue type_of_device(Span a) {
    const std::string text = str(a[0].toDevice());
    return text.substr(0, text.find(':'));
}
IValue index_of_device(Span a) {
    const Device d = a[0].toDevice();
    return d.index() < 0 ? IValue() : IValue(Int(d.index()));
}

constexpr Line lines[] = {
    {"aten::tensor", tensor},
    {"aten::tensor.*", tensor},
    {"aten::as_tensor", as_tensor},
    {"aten::as_tensor.*", as_tensor},
    {"prim::NumToTensor.*", num_to_tensor},
    {"aten::to.device", to_device_and_dtype},
    {"aten::to.prim_Device", to_device_and_dtype},
    {"aten::to.prim_dtype", to_dtype},
    {"aten::to.prim_other", to_nothing},
    {"aten::to.dtype_layout", to_options},
    {"aten::_to_copy", to_copy},
    {"aten::cpu", cpu},
    {"aten::copy", copied},
    {"aten::copy_.int", copied_onto},
    {"aten::copy_.float", copied_onto},
    {"aten::fill_.Tensor", copied_onto},
    {"aten::lift_fresh_copy", clone},
    {"aten::lift_fresh", itself},
    {"aten::lift", itself},
    {"aten::pin_memory", itself},
    {"aten::device", device_of_text},
    {"aten::device.with_index", device_with_index},
    {"prim::type", type_of_device},
    {"prim::index", index_of_device},
};

} // namespace

std::span<const Line> factories() { return lines; }

} // namespace reel::jit::own
