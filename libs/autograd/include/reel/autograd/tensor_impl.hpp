// What a Tensor handle points to: geometry, storage, and the tensor's place on the tape.
#pragma once

#include <memory>

#include <reel/autograd/array_ref.hpp>
#include <reel/autograd/device.hpp>
#include <reel/autograd/dtype.hpp>
#include <reel/autograd/fwd.hpp>
#include <reel/autograd/storage.hpp>
#include <reel/autograd/tensor_options.hpp>

namespace reel {

/// Why in-place work through a view may be refused (rule E-46), from harmless to most restrictive.
enum class CreationMeta : std::uint8_t { DEFAULT, NO_GRAD_MODE, INFERENCE_MODE, MULTI_OUTPUT_NODE, IN_CUSTOM_FUNCTION };

class TensorImpl final : public RefCounted {
public:
    TensorImpl(StoragePtr storage, ScalarType dtype, Device device);
    ~TensorImpl();
    static void* operator new(std::size_t n);
    static void operator delete(void* p, std::size_t n) noexcept;
    static void release(TensorImpl* p) {
        if (p->drop_ref()) delete p;
    }

    // Geometry. `set_geometry` recomputes numel and contiguity; ValueError for more than 64 dims or 2^63 bytes.
    IntArrayRef sizes() const { return sizes_; }
    IntArrayRef strides() const { return strides_; }
    std::int64_t dim() const { return std::int64_t(sizes_.size()); }
    std::int64_t numel() const { return numel_; }
    std::int64_t storage_offset() const { return offset_; }
    bool is_contiguous() const { return contiguous_; }
    void set_geometry(IntArrayRef sizes, IntArrayRef strides, std::int64_t offset);
    /// The geometry of `o`, strided and of this dtype, where it was checked.
    void copy_geometry(const TensorImpl& o);
    void set_contiguous(IntArrayRef sizes); ///< row-major, offset kept
    /// Makes it a sparse tensor: `storage` owns its indices and values (detail/sparse_parts.hpp), strides are zeros.
    void set_sparse(IntArrayRef sizes);
    Layout layout() const { return layout_; }
    ScalarType dtype() const { return dtype_; }
    Device device() const { return device_; }
    const StoragePtr& storage() const { return storage_; }
    /// First element. Throws NotImplementedError on meta, where there are shapes alone, and for a sparse tensor, whose
    /// elements do not lie one behind the other.
    void* data() const {
        if (device_.is_meta() || layout_ != Layout::Strided) [[unlikely]]
            throw_no_data();
        return static_cast<char*>(storage_->data()) + std::size_t(offset_) * elementSize(dtype_);
    }
    /// Swaps storage, dtype, device and geometry for those of `o`; identity, grad, hooks and the version counter, which
    /// detached aliases share, stay (E-9).
    void replace_data(const TensorImpl& o);

    // Versions (E-38). `.data` aliases have a counter of their own.
    std::uint32_t version() const { return (own_version_ ? own_version_ : storage_)->version(); }
    void bump_version() { (own_version_ ? own_version_ : storage_)->bump_version(); }
    void share_version(const TensorImpl& o) { own_version_ = o.own_version_; }
    void set_storage(StoragePtr storage) { storage_ = std::move(storage); }
    void detach_version(std::uint32_t start); ///< leaves the family; the fresh counter begins at `start`

    // Tape.
    /// A view follows its base, which in-place work may have put on the tape meanwhile (E-45, E-49).
    bool requires_grad() const { return requires_grad_ || grad_fn_ || (view_base_ && view_base_->requires_grad()); }
    const autograd::NodePtr& grad_fn_unchecked() const { return grad_fn_; } ///< may be stale on views (E-44)
    std::uint32_t output_nr() const { return output_nr_; }
    void set_history(autograd::NodePtr fn, std::uint32_t output_nr);
    void set_requires_grad_flag(bool b) { requires_grad_ = b; }
    bool requires_grad_flag() const { return requires_grad_; }
    autograd::AutogradMeta* meta() const { return meta_.get(); }
    autograd::AutogradMeta& ensure_meta();
    bool is_view() const { return bool(view_base_); }
    const TensorImplPtr& view_base() const { return view_base_; }
    void set_view(TensorImplPtr base, CreationMeta creation);
    void clear_view() { view_base_.reset(); }
    CreationMeta creation_meta() const { return creation_meta_; }
    void set_creation_meta(CreationMeta c) { creation_meta_ = c; }
    std::uint32_t view_version() const { return view_version_; } ///< version at which grad_fn was last valid
    void set_view_version(std::uint32_t v) { view_version_ = v; }

    bool is_wrapped_number = false; ///< made from a plain number: does not raise dtypes within its category
    bool is_inference = false;      ///< made under inference mode (E-51)
    bool is_parameter = false;      ///< an nn::Parameter
    bool retains_grad = false;

private:
    [[noreturn]] void throw_no_data() const;
    StoragePtr storage_, own_version_;
    Dims sizes_, strides_;
    std::int64_t offset_ = 0, numel_ = 0;
    ScalarType dtype_;
    Device device_;
    bool contiguous_ = true, requires_grad_ = false;
    CreationMeta creation_meta_ = CreationMeta::DEFAULT;
    Layout layout_ = Layout::Strided;
    std::uint32_t output_nr_ = 0, view_version_ = 0;
    autograd::NodePtr grad_fn_;
    TensorImplPtr view_base_;
    struct MetaDeleter {
        void operator()(autograd::AutogradMeta* m) const noexcept;
    };
    std::unique_ptr<autograd::AutogradMeta, MetaDeleter> meta_;
};

} // namespace reel
