#include "file_tensors.hpp"

#include <algorithm>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops/pointwise/conj.hpp>
#include <reel/autograd/tensor_impl.hpp>

namespace reel::serialize {

namespace {
/// A tensor of `size` elements over the whole storage.
Tensor row_of(const StoragePtr& s, ScalarType type, std::int64_t size) {
    auto* impl = new TensorImpl(s, type, s->device());
    Tensor row{TensorImplPtr(impl)};
    impl->set_contiguous({size});
    return row;
}
} // namespace

const StoragePtr& FileTensors::storage(std::size_t index) {
    StoragePtr& s = storages_[index];
    if (s) return s;
    const StorageInfo& i = tree_.storages[index];
    if (i.view_of >= 0) { // a part of another storage, which it keeps alive
        const StoragePtr& base = storage(std::size_t(i.view_of));
        return s = Storage::wrap(
                   static_cast<char*>(base->data()) + i.view_offset, i.bytes, Device(kCPU),
                   [](void*, std::size_t, void* context) { delete static_cast<StoragePtr*>(context); },
                   new StoragePtr(base));
    }
    char* mapped = bytes_.mapped(index);
    const std::size_t item = i.elements() == FileDtype::None ? 1 : info(i.elements()).size;
    if (mapped && !i.mixed && reinterpret_cast<std::uintptr_t>(mapped) % std::min<std::size_t>(item, 8) == 0) {
        using Keep = std::shared_ptr<const MappedFile>;
        s = Storage::wrap(
            mapped, i.bytes, Device(kCPU),
            [](void*, std::size_t, void* context) { delete static_cast<Keep*>(context); }, new Keep(bytes_.file()));
    } else {
        s = Storage::allocate(i.bytes, Device(kCPU));
        bytes_.read(index, static_cast<char*>(s->data()));
    }
    if (i.elements() == FileDtype::Bool) {
        const char* p = static_cast<const char*>(s->data());
        if (!std::all_of(p, p + i.bytes, [](char c) { return c == 0 || c == 1; }))
            bytes_.fail("a bool byte of storage '" + i.key + "' is neither 0 nor 1");
    }
    if (const Device to = bytes_.device(index); !to.is_cpu() && i.bytes)
        s = row_of(s, ScalarType::Byte, std::int64_t(i.bytes)).to(TensorOptions(to)).storage();
    return s;
}
Tensor FileTensors::tensor(const TensorInfo& t) {
    const ScalarType type = info(t.dtype).type;
    if (type == ScalarType::Undefined) bytes_.fail(str("tensors do not have the dtype ", info(t.dtype).name));
    const NoGradGuard no_grad;
    const StoragePtr& s = storage(t.storage);
    auto* impl = new TensorImpl(s, type, s->device());
    Tensor out{TensorImplPtr(impl)};
    impl->set_geometry(t.sizes, t.strides, t.offset);
    // there are no lazy conjugates or negatives: the values are right, the memory is the tensor's own
    if (t.conj) out = reel::conj(out).clone();
    if (t.neg) out = out.neg();
    if (t.requires_grad) out.requires_grad_();
    return out;
}

} // namespace reel::serialize
