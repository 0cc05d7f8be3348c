// Arguments with one value per spatial dimension, given as one value or as many.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <vector>

#include <reel/autograd/array_ref.hpp>

namespace reel {

/// `D` values of `T`. One value is repeated; a list must have exactly `D` entries.
template <std::size_t D, class T = std::int64_t> class ExpandingArray {
public:
    ExpandingArray(std::initializer_list<T> list) : ExpandingArray(ArrayRef<T>(list)) {}
    ExpandingArray(const std::vector<T>& v) : ExpandingArray(ArrayRef<T>(v)) {}
    ExpandingArray(ArrayRef<T> values) {
        REEL_CHECK(values.size() == D, "expected ", D, " values, got ", values.size());
        std::copy(values.begin(), values.end(), values_.begin());
    }
    ExpandingArray(T single) : single_(true) { values_.fill(single); }
    ExpandingArray(const std::array<T, D>& values) : values_(values) {}
    std::array<T, D>& operator*() { return values_; }
    const std::array<T, D>& operator*() const { return values_; }
    std::array<T, D>* operator->() { return &values_; }
    const std::array<T, D>* operator->() const { return &values_; }
    operator ArrayRef<T>() const { return values_; }
    const T& operator[](std::size_t i) const { return values_.at(i); }
    std::size_t size() const { return D; }
    /// Was it made from one value? Printing modules then shows one number, as in Python.
    bool is_single() const { return single_; }

protected:
    std::array<T, D> values_;
    bool single_ = false;
};
template <std::size_t D, class T> std::ostream& operator<<(std::ostream& os, const ExpandingArray<D, T>& a) {
    return os << ArrayRef<T>(*a);
}

/// The same with entries that may be absent: "as the input has it".
template <std::size_t D, class T = std::int64_t>
class ExpandingArrayWithOptionalElem : public ExpandingArray<D, std::optional<T>> {
public:
    using ExpandingArray<D, std::optional<T>>::ExpandingArray;
    ExpandingArrayWithOptionalElem(std::initializer_list<T> list)
        : ExpandingArray<D, std::optional<T>>(widen({list.begin(), list.end()})) {}
    ExpandingArrayWithOptionalElem(const std::vector<T>& v) : ExpandingArray<D, std::optional<T>>(widen(v)) {}
    ExpandingArrayWithOptionalElem(T single) : ExpandingArray<D, std::optional<T>>(std::optional<T>(single)) {}
    ExpandingArrayWithOptionalElem(const std::array<T, D>& v)
        : ExpandingArray<D, std::optional<T>>(widen({v.begin(), v.end()})) {}

private:
    static std::vector<std::optional<T>> widen(const std::vector<T>& v) { return {v.begin(), v.end()}; }
};
template <std::size_t D, class T>
std::ostream& operator<<(std::ostream& os, const ExpandingArrayWithOptionalElem<D, T>& a) {
    os << "[";
    for (std::size_t i = 0; i < D; ++i) {
        os << (i ? ", " : "");
        if (a[i]) os << *a[i];
        else os << "None";
    }
    return os << "]";
}

} // namespace reel
