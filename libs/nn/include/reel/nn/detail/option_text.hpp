// How options are printed and refused.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <vector>

namespace reel::nn {

template <class T> struct OptionCodec;

namespace detail {
/// `(1, 2)`, `(1,)`.
std::string tuple_text(const std::vector<std::string>& entries);
/// What a constant is called in Python: kMean is "mean".
std::string choice_text(const char* constant);
/// "is 'x'; expected 'a', 'b' or 'c'".
[[noreturn]] void throw_choice(const std::string& got, std::initializer_list<const char*> constants);
[[noreturn]] void throw_entries(std::size_t got, std::size_t expected);
/// `[1, 2]`.
std::string cpp_list_text(const std::vector<std::string>& entries);
template <class T> std::string cpp_text_of(const T& option) {
    if constexpr (requires { OptionCodec<T>::cpp_text(option); }) return OptionCodec<T>::cpp_text(option);
    else return OptionCodec<T>::text(option);
}
} // namespace detail

} // namespace reel::nn
