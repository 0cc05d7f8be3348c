// Numbers that print as they were written.
#pragma once

#include <type_traits>

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
