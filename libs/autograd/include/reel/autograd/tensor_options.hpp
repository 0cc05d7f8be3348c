// What a factory needs to know besides the shape.
#pragma once

#include <concepts>
#include <optional>
#include <string>

#include <reel/autograd/device.hpp>
#include <reel/autograd/dtype.hpp>

namespace reel {

enum class Layout : std::int8_t { Strided, Sparse, SparseCsr, Jagged };
inline constexpr Layout kStrided = Layout::Strided, kSparse = Layout::Sparse, kSparseCsr = Layout::SparseCsr,
                        kJagged = Layout::Jagged;
enum class MemoryFormat : std::int8_t { Contiguous, Preserve, ChannelsLast, ChannelsLast3d };

/// dtype, device, layout, requires_grad, pinned memory and memory format, each optional. Setters return a new object.
class TensorOptions {
public:
    constexpr TensorOptions() = default;
    constexpr TensorOptions(ScalarType t) : dtype_(t) {}
    constexpr TensorOptions(TypeMeta t) : dtype_(t.toScalarType()) {}
    constexpr TensorOptions(DeviceType t) : device_(Device(t)) {}
    template <std::same_as<Device> D> // a template: braces are kind and number, below
    constexpr TensorOptions(D d) : device_(d) {}
    TensorOptions(const char* device) : device_(Device(device)) {}
    TensorOptions(const std::string& device) : device_(Device(device)) {}
    /// `x.to({kCUDA, 1})`
    template <std::integral Index>
    constexpr TensorOptions(DeviceType t, Index index) : device_(Device(t, DeviceIndex(index))) {}
    constexpr TensorOptions(Layout l) : layout_(l) {}
    constexpr TensorOptions(MemoryFormat f) : memory_format_(f) {}

    constexpr TensorOptions dtype(std::optional<ScalarType> t) const {
        return with([&](auto& o) { o.dtype_ = t; });
    }
    template <class T> constexpr TensorOptions dtype() const { return dtype(dtype_of<T>); }
    constexpr TensorOptions device(std::optional<Device> d) const {
        return with([&](auto& o) { o.device_ = d; });
    }
    constexpr TensorOptions device(DeviceType t, DeviceIndex i = -1) const { return device(Device(t, i)); }
    constexpr TensorOptions device_index(DeviceIndex i) const { return device(Device(kCUDA, i)); }
    constexpr TensorOptions layout(std::optional<Layout> l) const {
        return with([&](auto& o) { o.layout_ = l; });
    }
    constexpr TensorOptions requires_grad(std::optional<bool> b) const {
        return with([&](auto& o) { o.requires_grad_ = b; });
    }
    constexpr TensorOptions pinned_memory(std::optional<bool> b) const {
        return with([&](auto& o) { o.pinned_memory_ = b; });
    }
    constexpr TensorOptions memory_format(std::optional<MemoryFormat> f) const {
        return with([&](auto& o) { o.memory_format_ = f; });
    }

    TypeMeta dtype() const { return dtype_ ? *dtype_ : get_default_dtype(); }
    constexpr Device device() const { return device_ ? *device_ : Device(kCPU); }
    constexpr Layout layout() const { return layout_.value_or(kStrided); }
    constexpr bool requires_grad() const { return requires_grad_.value_or(false); }
    constexpr bool pinned_memory() const { return pinned_memory_.value_or(false); }
    constexpr bool has_dtype() const { return dtype_.has_value(); }
    constexpr bool has_device() const { return device_.has_value(); }
    constexpr bool has_layout() const { return layout_.has_value(); }
    constexpr bool has_requires_grad() const { return requires_grad_.has_value(); }
    constexpr bool has_pinned_memory() const { return pinned_memory_.has_value(); }
    constexpr bool has_memory_format() const { return memory_format_.has_value(); }
    constexpr std::optional<ScalarType> dtype_opt() const { return dtype_; }
    constexpr std::optional<Device> device_opt() const { return device_; }
    constexpr std::optional<Layout> layout_opt() const { return layout_; }
    constexpr std::optional<bool> requires_grad_opt() const { return requires_grad_; }
    constexpr std::optional<bool> pinned_memory_opt() const { return pinned_memory_; }
    constexpr std::optional<MemoryFormat> memory_format_opt() const { return memory_format_; }
    /// Fields set in `o` win over this object's.
    constexpr TensorOptions merge_in(const TensorOptions& o) const {
        return with([&](auto& r) {
            if (o.dtype_) r.dtype_ = o.dtype_;
            if (o.device_) r.device_ = o.device_;
            if (o.layout_) r.layout_ = o.layout_;
            if (o.requires_grad_) r.requires_grad_ = o.requires_grad_;
            if (o.pinned_memory_) r.pinned_memory_ = o.pinned_memory_;
            if (o.memory_format_) r.memory_format_ = o.memory_format_;
        });
    }

private:
    template <class F> constexpr TensorOptions with(F f) const {
        TensorOptions o = *this;
        f(o);
        return o;
    }
    std::optional<ScalarType> dtype_;
    std::optional<Device> device_;
    std::optional<Layout> layout_;
    std::optional<bool> requires_grad_, pinned_memory_;
    std::optional<MemoryFormat> memory_format_;
};

/// `TensorOptions(dtype=float, device=cpu, layout=Strided, requires_grad=false (default), ...)`.
std::ostream& operator<<(std::ostream& os, const TensorOptions& options);

constexpr TensorOptions dtype(ScalarType t) { return TensorOptions(t); }
template <class T> constexpr TensorOptions dtype() { return TensorOptions(dtype_of<T>); }
inline TensorOptions device(Device d) { return TensorOptions(d); }
constexpr TensorOptions requires_grad(bool b = true) { return TensorOptions().requires_grad(b); }
constexpr TensorOptions layout(Layout l) { return TensorOptions(l); }
constexpr TensorOptions device_index(DeviceIndex i) { return TensorOptions().device_index(i); }
constexpr TensorOptions memory_format(MemoryFormat f) { return TensorOptions(f); }

} // namespace reel
