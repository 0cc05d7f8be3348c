// Borrowed views of contiguous elements, and the short inline vector that shapes live in.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <type_traits>
#include <vector>

#include <reel/autograd/error.hpp>

namespace reel {

/// A borrowed range of `T`; the referred elements must outlive it. Assigning a temporary to one does not compile.
template <class T> class ArrayRef {
public:
    using value_type = T;
    using const_iterator = const T*;
    using iterator = const T*;
    using reverse_iterator = std::reverse_iterator<const T*>;

    constexpr ArrayRef() = default;
    constexpr ArrayRef(const T& one) : data_(&one), size_(1) {}
    template <class B>
    requires(std::is_same_v<B, bool> && !std::is_same_v<T, bool>) ArrayRef(B)
    = delete; // a bool is no number
    constexpr ArrayRef(const T* data, std::size_t n) : data_(data), size_(n) {}
    constexpr ArrayRef(const T* first, const T* last) : data_(first), size_(std::size_t(last - first)) {}
    template <class A> ArrayRef(const std::vector<T, A>& v) : data_(v.data()), size_(v.size()) {
        static_assert(!std::is_same_v<T, bool>, "std::vector<bool> has no contiguous elements");
    }
    template <std::size_t N> constexpr ArrayRef(const std::array<T, N>& a) : data_(a.data()), size_(N) {}
    template <std::size_t N> constexpr ArrayRef(const T (&a)[N]) : data_(a), size_(N) {}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winit-list-lifetime" // borrowing for the duration of a call is the point
#endif
    constexpr ArrayRef(const std::initializer_list<T>& l)
        : data_(l.begin() == l.end() ? nullptr : l.begin()), size_(l.size()) {}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
    ArrayRef(const ArrayRef&) = default;
    ArrayRef& operator=(const ArrayRef&) = default;
    template <class U> std::enable_if_t<std::is_same_v<U, T>, ArrayRef>& operator=(U&& temporary) = delete;
    template <class U> std::enable_if_t<std::is_same_v<U, T>, ArrayRef>& operator=(std::initializer_list<U>) = delete;

    constexpr const T* data() const { return data_; }
    constexpr std::size_t size() const { return size_; }
    constexpr bool empty() const { return size_ == 0; }
    constexpr const T* begin() const { return data_; }
    constexpr const T* end() const { return data_ + size_; }
    reverse_iterator rbegin() const { return reverse_iterator(end()); }
    reverse_iterator rend() const { return reverse_iterator(begin()); }
    const T& front() const { return at(0); }
    const T& back() const { return at(size_ - 1); }
    constexpr const T& operator[](std::size_t i) const { return data_[i]; }
    const T& at(std::size_t i) const {
        REEL_CHECK_INDEX(i < size_, "ArrayRef: index ", i, " is out of range for ", size_, " elements");
        return data_[i];
    }
    ArrayRef slice(std::size_t n, std::size_t m) const {
        REEL_CHECK_INDEX(n <= size_ && m <= size_ - n, "ArrayRef: slice of ", m, " from ", n, " exceeds ", size_,
                         " elements");
        return ArrayRef(data_ + n, m);
    }
    ArrayRef slice(std::size_t n) const { return slice(n, size_ - n); }
    std::vector<T> vec() const { return std::vector<T>(begin(), end()); }
    bool equals(ArrayRef o) const { return std::equal(begin(), end(), o.begin(), o.end()); }

private:
    const T* data_ = nullptr;
    std::size_t size_ = 0;
};
template <class T> bool operator==(ArrayRef<T> a, ArrayRef<T> b) { return a.equals(b); }
template <class T> bool operator==(const std::vector<T>& a, ArrayRef<T> b) { return ArrayRef<T>(a).equals(b); }
template <class T> bool operator==(ArrayRef<T> a, const std::vector<T>& b) { return a.equals(ArrayRef<T>(b)); }
template <class T> ArrayRef(const std::vector<T>&) -> ArrayRef<T>;
template <class T, std::size_t N> ArrayRef(const std::array<T, N>&) -> ArrayRef<T>;
template <class T> ArrayRef(const T*, std::size_t) -> ArrayRef<T>;

/// Sizes, strides, dims: accepts brace lists, vectors, arrays and one plain integer.
using IntArrayRef = ArrayRef<std::int64_t>;
/// Dims or sizes that may be absent. Unlike `std::optional<IntArrayRef>` it may be made from a temporary integer.
class OptionalIntArrayRef {
public:
    OptionalIntArrayRef() = default;
    OptionalIntArrayRef(std::nullopt_t) {}
    OptionalIntArrayRef(IntArrayRef r) : ref_(r), has_(true) {}
    OptionalIntArrayRef(const std::int64_t& one) : ref_(one), has_(true) {}
    template <class B>
    requires std::is_same_v<B, bool> OptionalIntArrayRef(B)
    = delete; // a bool is no number
    OptionalIntArrayRef(const std::vector<std::int64_t>& v) : ref_(v), has_(true) {}
    OptionalIntArrayRef(const std::initializer_list<std::int64_t>& l) : ref_(l), has_(true) {}
    template <std::size_t N> OptionalIntArrayRef(const std::array<std::int64_t, N>& a) : ref_(a), has_(true) {}
    template <class R>
    requires std::is_same_v<R, std::optional<IntArrayRef>> OptionalIntArrayRef(const R& o)
        : ref_(o.value_or(IntArrayRef())), has_(o.has_value()) {}
    bool has_value() const { return has_; }
    explicit operator bool() const { return has_; }
    const IntArrayRef& value() const { return ref_; }
    const IntArrayRef& operator*() const { return ref_; }
    const IntArrayRef* operator->() const { return &ref_; }

private:
    IntArrayRef ref_;
    bool has_ = false;
};
std::ostream& operator<<(std::ostream& os, IntArrayRef sizes);

/// A vector of `T` whose first `N` elements live inside the object.
template <class T, std::size_t N> class SmallVector {
public:
    SmallVector() = default;
    explicit SmallVector(std::size_t n, T value = T{}) { resize(n, value); }
    SmallVector(std::initializer_list<T> l) { assign(l.begin(), l.end()); }
    SmallVector(ArrayRef<T> r) { assign(r.begin(), r.end()); }
    SmallVector(const SmallVector& o) { assign(o.begin(), o.end()); }
    SmallVector(SmallVector&& o) noexcept { steal(o); }
    SmallVector& operator=(const SmallVector& o) {
        if (this != &o) {
            clear();
            assign(o.begin(), o.end());
        }
        return *this;
    }
    SmallVector& operator=(SmallVector&& o) noexcept {
        if (this != &o) {
            destroy();
            steal(o);
        }
        return *this;
    }
    SmallVector& operator=(ArrayRef<T> r) {
        SmallVector copy(r);
        return *this = std::move(copy);
    }
    ~SmallVector() { destroy(); }

    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T* begin() { return data_; }
    T* end() { return data_ + size_; }
    const T* begin() const { return data_; }
    const T* end() const { return data_ + size_; }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }
    T& front() { return data_[0]; }
    T& back() { return data_[size_ - 1]; }
    const T& back() const { return data_[size_ - 1]; }
    void clear() {
        std::destroy_n(data_, size_);
        size_ = 0;
    }
    void push_back(T v) {
        // At least N + 1 in any case, which the compiler cannot know of `capacity_`.
        if (size_ == capacity_) grow(std::max<std::size_t>(std::size_t(capacity_) * 2, N + 1));
        new (data_ + size_++) T(std::move(v));
    }
    template <class... A> T& emplace_back(A&&... a) {
        if (size_ == capacity_) push_back(T(std::forward<A>(a)...)); // `a` may lie in here
        else new (data_ + size_++) T(std::forward<A>(a)...);
        return back();
    }
    void pop_back() { data_[--size_].~T(); }
    void resize(std::size_t n, T value = T{}) {
        if (n > capacity_) grow(n);
        while (size_ < n) new (data_ + size_++) T(value);
        while (size_ > n) pop_back();
    }
    void reserve(std::size_t n) {
        if (n > capacity_) grow(n);
    }
    T* insert(T* at, T v) {
        const std::size_t i = std::size_t(at - data_);
        push_back(std::move(v));
        std::rotate(data_ + i, data_ + size_ - 1, data_ + size_);
        return data_ + i;
    }
    T* erase(T* at) {
        std::move(at + 1, end(), at);
        pop_back();
        return at;
    }
    template <class It> void assign(It first, It last) {
        clear();
        for (; first != last; ++first) push_back(*first);
    }
    operator ArrayRef<T>() const { return ArrayRef<T>(data_, size_); }
    std::vector<T> vec() const { return std::vector<T>(begin(), end()); }
    friend bool operator==(const SmallVector& a, const SmallVector& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }

private:
    void destroy() {
        std::destroy_n(data_, size_);
        if (data_ != inline_data()) ::operator delete(data_, std::align_val_t(alignof(T)));
        size_ = 0;
        capacity_ = N;
        data_ = inline_data();
    }
    void steal(SmallVector& o) noexcept {
        if (o.data_ != o.inline_data()) {
            data_ = o.data_;
            size_ = o.size_;
            capacity_ = o.capacity_;
        } else {
            data_ = inline_data();
            size_ = o.size_;
            for (std::uint32_t i = 0; i < size_; ++i) {
                new (data_ + i) T(std::move(o.data_[i]));
                o.data_[i].~T();
            }
        }
        o.data_ = o.inline_data();
        o.size_ = 0;
        o.capacity_ = N;
    }
    void grow(std::size_t n) {
        REEL_CHECK_VALUE(n <= UINT32_MAX, "a short vector holds at most 2^32 - 1 elements, not ", n);
        T* fresh = static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t(alignof(T))));
        for (std::uint32_t i = 0; i < size_; ++i) {
            new (fresh + i) T(std::move(data_[i]));
            data_[i].~T();
        }
        if (data_ != inline_data()) ::operator delete(data_, std::align_val_t(alignof(T)));
        data_ = fresh;
        capacity_ = std::uint32_t(n);
    }
    T* inline_data() { return reinterpret_cast<T*>(storage_); }
    const T* inline_data() const { return reinterpret_cast<const T*>(storage_); }

    T* data_ = inline_data();
    std::uint32_t size_ = 0, capacity_ = N;
    alignas(T) std::byte storage_[N * sizeof(T)];
};

namespace detail {
/// In a list of sizes: none given, "as the input has it".
inline constexpr std::int64_t no_size = INT64_MIN;
} // namespace detail

/// Sizes or strides; up to six dims live inline.
using Dims = SmallVector<std::int64_t, 6>;

} // namespace reel
