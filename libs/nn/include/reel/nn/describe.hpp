// Structs described with Boost.Describe go through module calls field by field. Include this before using them.
#pragma once

#include <boost/describe.hpp>

#include <reel/nn/fields.hpp>

namespace reel::nn {

/// The public members of `T`, bases included: `BOOST_DESCRIBE_STRUCT(Batch, (), (image, label))`.
template <class T>
requires(boost::describe::has_describe_members<T>::value && !requires { T::reel_field_names; }) struct Fields<T> {
    static auto members(T& s) {
        return [&]<template <class...> class List, class... D>(List<D...>) {
            return std::tie(s.*D::pointer...);
        }(Members());
    }
    static std::string_view name(std::size_t i) {
        return [&]<template <class...> class List, class... D>(List<D...>) -> std::string_view {
            constexpr const char* names[] = {D::name...};
            return names[i];
        }(Members());
    }

private:
    using Members = boost::describe::describe_members<T, boost::describe::mod_public | boost::describe::mod_inherited>;
};

} // namespace reel::nn
