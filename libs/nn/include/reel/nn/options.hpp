// Fluent option fields: `LinearOptions(2, 3).bias(false)`. An options struct that also lists them, by
// `void fields(OptionVisitor& v)` (reel/nn/option_visitor.hpp), gives its layer constructor arguments by name and its
// printed form.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <reel/nn/detail/option_list.hpp>

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

/// The same in a base class of options: the setters return the class that was derived.
#define REEL_ARG_OF(Self, T, name)                                                                                     \
public:                                                                                                                \
    Self& name(const T& new_##name) {                                                                                  \
        this->name##_ = new_##name;                                                                                    \
        return static_cast<Self&>(*this);                                                                              \
    }                                                                                                                  \
    const T& name() const noexcept { return this->name##_; }                                                           \
    T& name() noexcept { return this->name##_; }                                                                       \
                                                                                                                       \
private:                                                                                                               \
    T name##_

namespace reel::nn {

class OptionVisitor;

} // namespace reel::nn
