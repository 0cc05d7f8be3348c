// A list of numbers as an argument by name: one number, several in braces, or none.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

#include <reel/autograd/array_ref.hpp>

namespace reel::detail {

/// Holds what it is given, so that `{.dim = {0, 1}}` may be kept in a variable.
template <class T> class KeywordList {
public:
    KeywordList(std::nullopt_t = std::nullopt) : given_(false) {}
    template <class N>
    requires(std::integral<N> || std::floating_point<N>) && (!std::same_as<N, bool>)KeywordList(N number)
        : values_{T(number)} {}
    KeywordList(std::initializer_list<T> values) : values_(values) {}
    KeywordList(const std::vector<T>& values) : values_(values) {}
    KeywordList(ArrayRef<T> values) : values_(values.begin(), values.end()) {}
    ArrayRef<T> list() const { return values_; }
    std::optional<ArrayRef<T>> optional() const { return given_ ? std::optional(list()) : std::nullopt; }

private:
    std::vector<T> values_;
    bool given_ = true;
};

} // namespace reel::detail
