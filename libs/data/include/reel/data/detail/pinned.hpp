// Batches in page-locked memory.
#pragma once

#include <tuple>
#include <utility>
#include <vector>

#include <reel/data/example.hpp>

namespace reel::data::detail {

inline void pin(Tensor& t) {
    if (t.defined()) t = t.pin_memory();
}
// all declared first: each may hold any other
template <class T> void pin(T& other);
template <class Data, class Target> void pin(Example<Data, Target>& e);
template <class Data> void pin(Example<Data, example::NoTarget>& e);
template <class T> void pin(std::vector<T>& all);
template <class A, class B> void pin(std::pair<A, B>& both);
template <class... T> void pin(std::tuple<T...>& all);
inline void pin(std::vector<bool>&) {}

/// Values of maps; whatever else there is holds no tensors, or is of a type of the user's, and stays where it is.
template <class T> void pin(T& other) {
    if constexpr (requires { typename T::mapped_type; })
        for (auto& [key, one] : other) pin(one);
}
template <class Data, class Target> void pin(Example<Data, Target>& e) {
    pin(e.data);
    pin(e.target);
}
template <class Data> void pin(Example<Data, example::NoTarget>& e) { pin(e.data); }
template <class T> void pin(std::vector<T>& all) {
    for (T& one : all) pin(one);
}
template <class A, class B> void pin(std::pair<A, B>& both) {
    pin(both.first);
    pin(both.second);
}
template <class... T> void pin(std::tuple<T...>& all) {
    std::apply([](auto&... each) { (pin(each), ...); }, all);
}

} // namespace reel::data::detail
