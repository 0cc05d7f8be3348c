// What a node knows of its forward outputs, in little memory: nearly every node has one output of a few dimensions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include <reel/autograd/array_ref.hpp>

namespace reel::detail {

/// Sizes of a tensor, up to four of them inside. At most 64, as tensors have.
class CompactSizes {
public:
    CompactSizes() = default;
    CompactSizes(IntArrayRef sizes) : count_(std::uint8_t(sizes.size())) {
        if (count_ > most_inside) elsewhere_ = new std::int64_t[count_];
        std::copy(sizes.begin(), sizes.end(), count_ > most_inside ? elsewhere_ : inside_);
    }
    CompactSizes(const CompactSizes& o) : CompactSizes(IntArrayRef(o)) {}
    CompactSizes(CompactSizes&& o) noexcept { swap(o); }
    CompactSizes& operator=(CompactSizes o) noexcept {
        swap(o);
        return *this;
    }
    ~CompactSizes() {
        if (count_ > most_inside) delete[] elsewhere_;
    }
    operator IntArrayRef() const { return IntArrayRef(begin(), count_); }
    std::size_t size() const { return count_; }
    std::int64_t operator[](std::size_t i) const { return begin()[i]; }
    friend bool operator==(const CompactSizes& a, const CompactSizes& b) { return IntArrayRef(a).equals(b); }
    const std::int64_t* begin() const { return count_ > most_inside ? elsewhere_ : inside_; }
    const std::int64_t* end() const { return begin() + count_; }

private:
    static constexpr std::uint8_t most_inside = 4;
    void swap(CompactSizes& o) noexcept {
        std::swap(inside_, o.inside_); // the pointer lies in there
        std::swap(count_, o.count_);
    }
    union {
        std::int64_t inside_[most_inside] = {};
        std::int64_t* elsewhere_;
    };
    std::uint8_t count_ = 0;
};

/// A list that grows at its end, with its one element inside.
template <class T> class MostlyOne {
public:
    MostlyOne() {}
    MostlyOne(const MostlyOne&) = delete;
    ~MostlyOne() {
        if (size_ > 1) delete[] many_;
        else if (size_ == 1) std::destroy_at(&one_);
    }
    std::uint32_t size() const { return size_; }
    const T& operator[](std::size_t i) const { return size_ > 1 ? many_[i] : one_; }
    const T& back() const { return (*this)[size_ - 1]; }
    /// Another element, made of `a`.
    template <class... A> void emplace_back(A&&... a) {
        if (size_ == 0) std::construct_at(&one_, std::forward<A>(a)...);
        else {
            T more(std::forward<A>(a)...);
            // Memory for the next power of two: it is full when the size is one.
            if ((size_ & (size_ - 1)) == 0) grow();
            many_[size_] = std::move(more);
        }
        ++size_;
    }

private:
    void grow() {
        T* const fresh = new T[2 * std::size_t(size_)];
        if (size_ == 1) {
            fresh[0] = std::move(one_);
            std::destroy_at(&one_);
        } else {
            std::move(many_, many_ + size_, fresh);
            delete[] many_;
        }
        many_ = fresh;
    }
    union {
        T one_;
        T* many_;
    };
    std::uint32_t size_ = 0;
};

} // namespace reel::detail
