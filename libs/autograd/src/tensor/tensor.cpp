// Metadata and data access of tensors.
#include <reel/autograd/tensor.hpp>

#include <iostream>

#include <reel/autograd/detail/launch_observer.hpp>
#include <reel/autograd/detail/notify_observers.hpp>

#include "tensor/raw.hpp"
#include "tensor/taken_calls.hpp"

namespace reel {

void Tensor::expect_dtype(ScalarType t) const {
    if (reel::detail::launch_observer) [[unlikely]]
        reel::detail::note_host_works("data_ptr");
    REEL_CHECK_TYPE(scalar_type() == t, "data_ptr: the tensor holds ", scalar_type(), " elements, not ", t);
}
void Tensor::expect_accessor(ScalarType t, std::size_t n) const {
    expect_dtype(t);
    REEL_CHECK(std::size_t(dim()) == n, "accessor: the tensor has ", dim(), " dimensions, not ", n);
    REEL_CHECK(is_cpu(), "accessor: the tensor is on ", device(), "; copy it to the CPU first");
}

std::int64_t Tensor::size(std::int64_t d) const {
    if (const IntArrayRef all = sizes(); std::uint64_t(d) < all.size()) [[likely]]
        return all[std::size_t(d)];
    REEL_CHECK_INDEX(dim() > 0, "size: a 0-dim tensor has no dimension ", d);
    return sizes()[std::size_t(detail::wrap_dim("size", d, dim()))];
}
std::int64_t Tensor::stride(std::int64_t d) const {
    if (const IntArrayRef all = strides(); std::uint64_t(d) < all.size()) [[likely]]
        return all[std::size_t(d)];
    REEL_CHECK_INDEX(dim() > 0, "stride: a 0-dim tensor has no dimension ", d);
    return strides()[std::size_t(detail::wrap_dim("stride", d, dim()))];
}
TensorOptions Tensor::options() const { return TensorOptions(scalar_type()).device(device()).layout(layout()); }

namespace {
/// Strides of a dense tensor whose dims lie in memory in the order given, outermost first.
bool strides_follow(const Tensor& t, std::initializer_list<int> order) {
    std::int64_t expected = 1;
    for (auto it = std::rbegin(order); it != std::rend(order); ++it) {
        const std::int64_t size = t.sizes()[std::size_t(*it)];
        if (size != 1 && t.strides()[std::size_t(*it)] != expected) return false;
        expected *= size;
    }
    return true;
}
} // namespace

bool Tensor::is_contiguous(MemoryFormat format) const {
    switch (format) {
    case MemoryFormat::ChannelsLast:
        return dim() == 4 && strides_follow(*this, {0, 2, 3, 1});
    case MemoryFormat::ChannelsLast3d:
        return dim() == 5 && strides_follow(*this, {0, 2, 3, 4, 1});
    default:
        return checked().is_contiguous();
    }
}
MemoryFormat Tensor::suggest_memory_format() const {
    if (!is_contiguous() && is_contiguous(MemoryFormat::ChannelsLast)) return MemoryFormat::ChannelsLast;
    if (!is_contiguous() && is_contiguous(MemoryFormat::ChannelsLast3d)) return MemoryFormat::ChannelsLast3d;
    return MemoryFormat::Contiguous;
}
bool Tensor::is_non_overlapping_and_dense() const {
    const TensorImpl& impl = checked();
    if (impl.is_contiguous()) return true;
    SmallVector<std::size_t, 6> order;
    for (std::size_t i = 0; i < impl.sizes().size(); ++i)
        if (impl.sizes()[i] != 1) order.push_back(i);
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return impl.strides()[a] < impl.strides()[b]; });
    std::int64_t expected = 1;
    for (const std::size_t i : order) {
        if (impl.strides()[i] != expected) return false;
        expected *= impl.sizes()[i];
    }
    return true;
}

Scalar Tensor::item() const {
    REEL_CHECK_VALUE(numel() == 1, "item: only a tensor of one element converts to a number; this one has shape ",
                     sizes());
    if (autograd::impl::observed())
        autograd::impl::note_cut_by(__builtin_return_address(0), autograd::CutKind::Number, "item", *this);
    if (ops::calls_are_taken()) [[unlikely]]
        ops::tell_read(*this);
    if (reel::detail::launch_observer && !impl_->is_wrapped_number) [[unlikely]] // a number of the host's own
        reel::detail::note_host_works("item");
    const ops::NotTaken reading(!is_cpu() && ops::calls_are_taken()); // it has been told
    const Tensor t = is_cpu() ? *this : detach().cpu();
    switch (t.scalar_type()) {
#define REEL_CASE(T, Name)                                                                                             \
    case ScalarType::Name:                                                                                             \
        return Scalar(*static_cast<const T*>(t.data_ptr()));
        REEL_FORALL_SCALAR_TYPES(REEL_CASE)
#undef REEL_CASE
    default:
        return {};
    }
}
bool Tensor::is_nonzero() const {
    REEL_CHECK(numel() == 1, "the truth of a tensor with shape ", sizes(), " is ambiguous; use any() or all()");
    return item().toBool();
}

std::string Tensor::toString() const {
    const char* device = is_cuda() ? "CUDA" : is_meta() ? "Meta" : "CPU";
    return std::string(device) + reel::toString(scalar_type()) + "Type";
}
void Tensor::print() const { std::cout << *this << "\n"; }

} // namespace reel
