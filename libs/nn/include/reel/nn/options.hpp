// Fluent option fields: `LinearOptions(2, 3).bias(false)`.
#pragma once

#include <type_traits>
#include <utility>

/// Declares a field with a setter that changes this very object and a getter: `REEL_ARG(bool, bias) = true;`.
#define REEL_ARG(T, name)                                                                                              \
public:                                                                                                                \
    auto name(const T& new_##name)->decltype(*this) {                                                                  \
        this->name##_ = new_##name;                                                                                    \
        return *this;                                                                                                  \
    }                                                                                                                  \
    auto name(T&& new_##name)->decltype(*this) {                                                                       \
        this->name##_ = std::move(new_##name);                                                                         \
        return *this;                                                                                                  \
    }                                                                                                                  \
    const T& name() const noexcept { return this->name##_; }                                                           \
    T& name() noexcept { return this->name##_; }                                                                       \
                                                                                                                       \
private:                                                                                                               \
    T name##_

namespace reel::nn {

/// A number that remembers whether it was written as an integer, so that modules print it as Python does.
class Number {
public:
    template <class T>
    requires std::is_arithmetic_v<T> Number(T v) : value_(double(v)), integral_(std::is_integral_v<T>) {}
    operator double() const { return value_; }
    bool is_integral() const { return integral_; }

private:
    double value_;
    bool integral_;
};

} // namespace reel::nn
