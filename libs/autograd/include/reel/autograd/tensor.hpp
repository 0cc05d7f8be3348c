// The Tensor handle. Ops reach it as methods through the generated tensor_methods.inc.
#pragma once

#include <concepts>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <reel/autograd/array_ref.hpp>
#include <reel/autograd/detail/exact_argument.hpp>
#include <reel/autograd/device.hpp>
#include <reel/autograd/dtype.hpp>
#include <reel/autograd/error.hpp>
#include <reel/autograd/fwd.hpp>
#include <reel/autograd/generator.hpp>
#include <reel/autograd/hook_table.hpp>
#include <reel/autograd/indexing.hpp>
#include <reel/autograd/scalar.hpp>
#include <reel/autograd/tensor_accessor.hpp>
#include <reel/autograd/tensor_impl.hpp>
#include <reel/autograd/tensor_options.hpp>

namespace reel {

namespace indexing {
class TensorIndex;
}
class Registered; // registered.hpp
namespace autograd {
struct TensorBackwardOptions; // backward.hpp
}

/// A counted handle to a tensor. Copying aliases; a default-constructed one is *undefined* and stands for "absent".
/// Constness belongs to the handle: in-place methods work on const handles.
class Tensor {
public:
    Tensor() = default;
    explicit Tensor(TensorImplPtr impl) : impl_(std::move(impl)) {}
    Tensor(const Tensor&) = default;
    Tensor(Tensor&&) noexcept = default;
    /// What a module has just registered: it learns that this handle, if it is a member of the module, is its entry.
    /// (Templates, so that `t = {}` still means an undefined tensor.)
    template <class R>
    requires std::is_same_v<R, Registered> Tensor(const R& r) { take(r); }
    template <class R>
    requires std::is_same_v<R, Registered> Tensor& operator=(const R& r) & {
        take(r);
        return *this;
    }
    Tensor& operator=(const Tensor& o) & {
        impl_ = o.impl_;
        return *this;
    }
    Tensor& operator=(Tensor&& o) & noexcept {
        impl_ = std::move(o.impl_);
        return *this;
    }
    /// Assigning to a temporary view writes through: `x[i] = y`.
    Tensor& operator=(const Tensor& o) &&;
    Tensor& operator=(Tensor&& o) &&;
    Tensor& operator=(const Scalar& v) &&;

    bool defined() const { return bool(impl_); }
    void reset() { impl_.reset(); }
    /// An opaque pointer that identifies the tensor.
    TensorImpl* unsafeGetTensorImpl() const { return impl_.get(); }
    const TensorImplPtr& impl() const { return impl_; }
    bool is_same(const Tensor& o) const { return impl_ == o.impl_; }
    std::size_t use_count() const { return impl_ ? impl_->use_count() : 0; }
    bool is_uniquely_owned() const { return use_count() == 1; }

    // --- Metadata -------------------------------------------------------------------------------------------------
    std::int64_t dim() const { return checked().dim(); }
    std::int64_t ndimension() const { return dim(); }
    IntArrayRef sizes() const { return checked().sizes(); }
    IntArrayRef strides() const { return checked().strides(); }
    /// Size of one dimension; negative `d` counts from the end. Throws IndexError.
    std::int64_t size(std::int64_t d) const;
    std::int64_t stride(std::int64_t d) const;
    std::int64_t numel() const { return checked().numel(); }
    std::int64_t storage_offset() const { return checked().storage_offset(); }
    TypeMeta dtype() const { return TypeMeta(checked().dtype()); }
    ScalarType scalar_type() const { return checked().dtype(); }
    Device device() const { return checked().device(); }
    std::int64_t get_device() const { return device().index(); }
    Layout layout() const { return checked().layout(); }
    TensorOptions options() const;
    std::size_t itemsize() const { return elementSize(scalar_type()); }
    std::int64_t element_size() const { return std::int64_t(itemsize()); }
    std::size_t nbytes() const { return std::size_t(numel()) * itemsize(); }
    bool is_contiguous(MemoryFormat format = MemoryFormat::Contiguous) const;
    MemoryFormat suggest_memory_format() const;
    bool is_non_overlapping_and_dense() const;
    bool is_floating_point() const { return isFloatingType(scalar_type()); }
    bool is_complex() const { return isComplexType(scalar_type()); }
    bool is_signed() const { return isSignedType(scalar_type()); }
    bool is_cpu() const { return device().is_cpu(); }
    bool is_cuda() const { return device().is_cuda(); }
    bool is_meta() const { return device().is_meta(); }
    bool is_inference() const { return checked().is_inference; }
    bool is_conj() const { return false; } ///< conjugation is never lazy in Reel
    bool is_neg() const { return false; }
    bool is_same_size(const Tensor& o) const { return sizes().equals(o.sizes()); }
    /// Do both lie in one storage?
    bool is_alias_of(const Tensor& o) const { return checked().storage() == o.checked().storage(); }
    /// The truth of a one-element tensor; throws otherwise.
    bool is_nonzero() const;
    bool has_storage() const { return defined() && !is_meta() && !is_sparse(); }
    const StoragePtr& storage() const { return checked().storage(); }
    /// `CPUFloatType`, as libtorch prints it.
    std::string toString() const;
    /// What `autograd::impl::set_name` gave it, else empty.
    std::string name() const;
    void print() const;

    // --- Data -----------------------------------------------------------------------------------------------------
    /// The first element, null when there are no elements; throws NotImplementedError for a meta tensor.
    void* data_ptr() const {
        void* const first = checked().data();
        return numel() == 0 ? nullptr : first;
    }
    /// Typed pointer to the first element; throws TypeError unless `T` is the element type.
    template <class T> T* data_ptr() const {
        expect_dtype(dtype_of<std::remove_const_t<T>>);
        return static_cast<T*>(data_ptr());
    }
    template <class T> T* data() const { return data_ptr<T>(); } ///< libtorch's older name
    template <class T> T* mutable_data_ptr() const { return data_ptr<T>(); }
    template <class T> const T* const_data_ptr() const { return data_ptr<T>(); }
    const void* const_data_ptr() const { return data_ptr(); }
    void* mutable_data_ptr() const { return data_ptr(); }
    /// Element access by indices, without copying; CPU only.
    template <class T, std::size_t N> TensorAccessor<T, N> accessor() const {
        expect_accessor(dtype_of<std::remove_const_t<T>>, N);
        return TensorAccessor<T, N>(static_cast<T*>(checked().data()), sizes().data(), strides().data());
    }
    template <class T, std::size_t N> TensorAccessor<T, N> packed_accessor64() const { return accessor<T, N>(); }
    template <class T, std::size_t N> TensorAccessor<T, N> packed_accessor32() const { return accessor<T, N>(); }
    /// The value of a one-element tensor; throws ValueError otherwise.
    Scalar item() const;
    template <class T> T item() const { return item().to<T>(); }

    // --- Conversion -----------------------------------------------------------------------------------------------
    Tensor to(const TensorOptions& options, bool non_blocking = false, bool copy = false,
              std::optional<MemoryFormat> format = std::nullopt) const;
    Tensor to(ScalarType dtype, bool non_blocking = false, bool copy = false,
              std::optional<MemoryFormat> format = std::nullopt) const;
    /// `x.to(y.dtype())`.
    Tensor to(TypeMeta dtype, bool non_blocking = false, bool copy = false,
              std::optional<MemoryFormat> format = std::nullopt) const {
        return to(dtype.toScalarType(), non_blocking, copy, format);
    }
    Tensor to(Device device, ScalarType dtype, bool non_blocking = false, bool copy = false,
              std::optional<MemoryFormat> format = std::nullopt) const;
    Tensor to(const Tensor& other, bool non_blocking = false, bool copy = false,
              std::optional<MemoryFormat> format = std::nullopt) const;
    /// A copy in page-locked memory of the host, from which a CUDA device reads by itself: `to(device, non_blocking)`
    /// returns while the copy is under way. The same tensor when it lies there already. Differentiable. Errors: Error
    /// unless the tensor is on the CPU and there is a CUDA device.
    Tensor pin_memory() const;
    bool is_pinned() const;
    Tensor cpu() const { return to(TensorOptions(kCPU)); }
    Tensor cuda() const { return to(TensorOptions(kCUDA)); }
    Tensor toType(ScalarType t) const { return to(t); }
    /// The same memory read as another dtype. (A template, so that `view({})` means a shape.)
    template <class T>
    requires std::same_as<T, ScalarType> Tensor view(T dtype)
    const { return view_as_dtype(dtype); }
    Tensor view_as_dtype(ScalarType dtype) const;

    // --- Sparse tensors (sparse.hpp) ------------------------------------------------------------------------------
    bool is_sparse() const { return layout() == kSparse; }
    /// All elements of a sparse tensor, zeros among them; a strided tensor stays itself. Gradient: as it comes.
    Tensor to_dense(std::optional<ScalarType> dtype = std::nullopt) const;
    /// What is not zero in coordinate form, coalesced: the first `sparse_dim` dimensions (all of them without the
    /// argument) get indices, the others stay dense in `values()`. A sparse tensor stays itself. Gradient: as it comes.
    Tensor to_sparse(std::optional<std::int64_t> sparse_dim = std::nullopt) const;
    /// The same tensor with sorted indices of which none occurs twice; values at equal indices are added up.
    Tensor coalesce() const;
    bool is_coalesced() const;
    /// `[sparse_dim, nnz]`, int64; Error unless coalesced, where `_indices()` has them as they were put in.
    Tensor indices() const;
    /// `[nnz, ...the dense dimensions]`; Error unless coalesced. Gradient: sparse, at the indices.
    Tensor values() const;
    Tensor _indices() const;
    Tensor _values() const;
    std::int64_t _nnz() const;
    std::int64_t sparse_dim() const;
    std::int64_t dense_dim() const;

    // --- Indexing -------------------------------------------------------------------------------------------------
    Tensor operator[](std::int64_t i) const;
    Tensor operator[](const Tensor& i) const;
    Tensor index(std::initializer_list<indexing::TensorIndex> indices) const;
    Tensor index(ArrayRef<indexing::TensorIndex> indices) const;
    Tensor& index_put_(std::initializer_list<indexing::TensorIndex> indices, const Tensor& value,
                       bool accumulate = false) const;
    Tensor& index_put_(std::initializer_list<indexing::TensorIndex> indices, const Scalar& value) const;
    Tensor& index_put_(ArrayRef<indexing::TensorIndex> indices, const Tensor& value, bool accumulate = false) const;
    Tensor& index_put_(ArrayRef<indexing::TensorIndex> indices, const Scalar& value) const;
    /// A copy in which `index_put_` has written.
    Tensor index_put(std::initializer_list<indexing::TensorIndex> indices, const Tensor& value,
                     bool accumulate = false) const;
    Tensor index_put(ArrayRef<indexing::TensorIndex> indices, const Tensor& value, bool accumulate = false) const;

    // --- Autograd -------------------------------------------------------------------------------------------------
    bool requires_grad() const;
    const Tensor& set_requires_grad(bool b) const;
    /// Starts or stops recording on a leaf. Only floating and complex tensors may require grad (E-2, E-3).
    Tensor& requires_grad_(bool b = true) const;
    /// The accumulated gradient, undefined if none. Reading it on a non-leaf that does not retain it warns (E-7).
    const Tensor& grad() const;
    /// Writable gradient slot; assign an undefined tensor to clear it. `set_grad` checks what is assigned (E-6).
    Tensor& mutable_grad() const;
    void set_grad(const Tensor& g) const;
    /// There is no gradient afterwards: `x.grad = None`.
    void clear_grad() const { set_grad(Tensor()); }
    /// Runs the tape backwards from this tensor.
    void backward(const Tensor& gradient = {}, std::optional<bool> retain_graph = std::nullopt,
                  bool create_graph = false, std::optional<TensorList> inputs = std::nullopt) const;
    /// The same with names: `loss.backward({.retain_graph = true})`. (A template, so that `backward({})` still means no
    /// gradient.)
    template <std::same_as<autograd::TensorBackwardOptions> Options = autograd::TensorBackwardOptions>
    void backward(const Options& options) const {
        backward_with(options);
    }
    void backward_with(const autograd::TensorBackwardOptions& options) const;
    bool is_leaf() const;
    /// The node that made this tensor, null on leaves.
    autograd::NodePtr grad_fn() const;
    std::int64_t output_nr() const { return checked().output_nr(); }
    void retain_grad() const;
    bool retains_grad() const { return checked().retains_grad; }
    std::int64_t _version() const;
    bool is_view() const { return checked().is_view(); }
    /// The tensor that this is a view of; throws on tensors that are not views.
    Tensor _base() const;
    /// An alias without history that shares storage and version counter (E-41).
    Tensor detach() const;
    Tensor& detach_() const;
    /// A detached alias with a version counter of its own.
    Tensor data() const;
    Tensor tensor_data() const { return data(); }
    Tensor variable_data() const { return data(); }
    /// Swaps the contents, keeps identity, flags, hooks and graph role (E-9).
    void set_data(const Tensor& t) const;
    /// dtype that arriving gradients are cast to (E-78); nullopt: any.
    std::optional<ScalarType> grad_dtype() const;
    void set_grad_dtype(std::optional<ScalarType> t) const;
    /// `fn` takes the gradient and returns nothing or its replacement (an undefined one: unchanged). Rules T-1 to T-10.
    template <class F> RemovableHandle register_hook(F fn) const {
        if constexpr (std::is_void_v<std::invoke_result_t<F, const Tensor&>>)
            return register_hook_impl([fn = std::move(fn)](const Tensor& g) mutable -> Tensor {
                fn(g);
                return {};
            });
        else return register_hook_impl(std::move(fn));
    }
    void remove_hook(const RemovableHandle& handle) const { RemovableHandle(handle).remove(); }
    /// By the number that a handle converts to, as libtorch counts hooks. Nothing happens when it was removed already.
    void remove_hook(unsigned handle) const;
    /// `fn` gets this leaf after its `.grad` was updated (T-15 to T-18).
    RemovableHandle register_post_accumulate_grad_hook(std::function<void(const Tensor&)> fn) const;

    // --- Operators ------------------------------------------------------------------------------------------------
    Tensor operator-() const;
    Tensor operator~() const;
    Tensor& operator+=(const Tensor& o) const;
    Tensor& operator+=(const Scalar& o) const;
    Tensor& operator-=(const Tensor& o) const;
    Tensor& operator-=(const Scalar& o) const;
    Tensor& operator*=(const Tensor& o) const;
    Tensor& operator*=(const Scalar& o) const;
    Tensor& operator/=(const Tensor& o) const;
    Tensor& operator/=(const Scalar& o) const;
    Tensor& operator&=(const Tensor& o) const;
    Tensor& operator|=(const Tensor& o) const;
    Tensor& operator^=(const Tensor& o) const;

    /// This tensor's elements where `condition` holds, else those of `other`: `reel::where(condition, *this, other)`.
    Tensor where(const Tensor& condition, const Tensor& other) const;
    Tensor where(const Tensor& condition, const Scalar& other) const;

    // --- Ops as methods (generated from the ops' own blocks) ------------------------------------------------------
#include <reel/autograd/tensor_methods.inc>

    /// The impl, or an Error that says the tensor is undefined.
    TensorImpl& checked() const {
        if (!impl_) [[unlikely]]
            throw_undefined();
        return *impl_;
    }

private:
    void take(const Registered& r);
    [[noreturn]] static void throw_undefined();
    void expect_dtype(ScalarType t) const;
    void expect_accessor(ScalarType t, std::size_t n) const;
    RemovableHandle register_hook_impl(std::function<Tensor(const Tensor&)> fn) const;

    TensorImplPtr impl_;
};

namespace indexing {
/// One entry of an index list.
class TensorIndex {
public:
    enum class Kind : std::uint8_t { None, Ellipsis, Integer, Boolean, Slice, Tensor };
    TensorIndex(NoneType) : kind_(Kind::None) {}
    TensorIndex(std::nullopt_t) : kind_(Kind::None) {}
    TensorIndex(EllipsisType) : kind_(Kind::Ellipsis) {}
    /// Only `"..."` is accepted.
    TensorIndex(const char* text);
    template <class I>
    requires std::is_integral_v<I> TensorIndex(I i)
        : kind_(std::is_same_v<I, bool> ? Kind::Boolean : Kind::Integer), integer_(std::int64_t(i)) {}
    TensorIndex(Slice s) : kind_(Kind::Slice), slice_(s) {}
    TensorIndex(reel::Tensor t) : kind_(Kind::Tensor), tensor_(std::move(t)) {}
    Kind kind() const { return kind_; }
    bool is_none() const { return kind_ == Kind::None; }
    bool is_ellipsis() const { return kind_ == Kind::Ellipsis; }
    bool is_integer() const { return kind_ == Kind::Integer; }
    bool is_boolean() const { return kind_ == Kind::Boolean; }
    bool is_slice() const { return kind_ == Kind::Slice; }
    bool is_tensor() const { return kind_ == Kind::Tensor; }
    bool boolean() const { return integer_ != 0; }
    std::int64_t integer() const { return integer_; }
    const Slice& slice() const { return slice_; }
    const reel::Tensor& tensor() const { return tensor_; }

private:
    Kind kind_;
    std::int64_t integer_ = 0;
    Slice slice_;
    reel::Tensor tensor_;
};
/// As in Python: `None`, `...`, `0`, `True`, `1:5:2`, a tensor; and a list of them in parentheses.
std::ostream& operator<<(std::ostream& os, const TensorIndex& index);
std::ostream& operator<<(std::ostream& os, const std::vector<TensorIndex>& indices);
} // namespace indexing

/// Prints as Python does: `tensor([1., 2.], requires_grad=True)`.
std::ostream& operator<<(std::ostream& os, const Tensor& t);

} // namespace reel
