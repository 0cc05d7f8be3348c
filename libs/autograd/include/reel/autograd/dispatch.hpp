// One text for every element type that a tensor may have, in libtorch's words: `REEL_DISPATCH_FLOATING_TYPES(
// x.scalar_type(), "my_op", [&] { run(x.data_ptr<scalar_t>(), x.numel()); })`.
#pragma once

#include <complex>
#include <cstdint>

#include <reel/autograd/detail/element_of.hpp>
#include <reel/autograd/dtype.hpp>
#include <reel/autograd/error.hpp>

namespace reel {

/// The type in C++ of the elements of a dtype: `element_t<kFloat>` is float.
template <ScalarType t> using element_t = typename detail::ElementOf<t>::type;

} // namespace reel

/// The cases of REEL_DISPATCH_SWITCH: the code, a function without arguments, in which `scalar_t` (or another name) is
/// the element type of `dtype`.
#define REEL_PRIVATE_CASE_TYPE_USING_HINT(dtype, hint, ...)                                                            \
    if (reel_dispatch_.type == (dtype)) {                                                                              \
        using hint [[maybe_unused]] = ::reel::element_t<(dtype)>;                                                      \
        return __VA_ARGS__();                                                                                          \
    }
#define REEL_DISPATCH_CASE(dtype, ...) REEL_PRIVATE_CASE_TYPE_USING_HINT(dtype, scalar_t, __VA_ARGS__)
#define REEL_DISPATCH_CASE_FLOATING_TYPES(...)                                                                         \
    REEL_DISPATCH_CASE(::reel::kDouble, __VA_ARGS__)                                                                   \
    REEL_DISPATCH_CASE(::reel::kFloat, __VA_ARGS__)
#define REEL_DISPATCH_CASE_COMPLEX_TYPES(...)                                                                          \
    REEL_DISPATCH_CASE(::reel::kComplexDouble, __VA_ARGS__)                                                            \
    REEL_DISPATCH_CASE(::reel::kComplexFloat, __VA_ARGS__)
#define REEL_DISPATCH_CASE_INTEGRAL_TYPES(...)                                                                         \
    REEL_DISPATCH_CASE(::reel::kByte, __VA_ARGS__)                                                                     \
    REEL_DISPATCH_CASE(::reel::kChar, __VA_ARGS__)                                                                     \
    REEL_DISPATCH_CASE(::reel::kInt, __VA_ARGS__)                                                                      \
    REEL_DISPATCH_CASE(::reel::kLong, __VA_ARGS__)                                                                     \
    REEL_DISPATCH_CASE(::reel::kShort, __VA_ARGS__)
#define REEL_DISPATCH_CASE_ALL_TYPES(...)                                                                              \
    REEL_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) REEL_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)
#define REEL_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(...)                                                             \
    REEL_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) REEL_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__)
#define REEL_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(...)                                                                  \
    REEL_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) REEL_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__)

/// Runs the case of the dtype and returns what it does. Errors: NotImplementedError that begins with `name` for a dtype
/// without a case.
#define REEL_DISPATCH_SWITCH(dtype, name, ...)                                                                         \
    [&] {                                                                                                              \
        const ::reel::detail::DispatchOn reel_dispatch_{(dtype), (name)};                                              \
        __VA_ARGS__                                                                                                    \
        reel_dispatch_.refuse();                                                                                       \
    }()

// A group of dtypes and up to three more.
#define REEL_PRIVATE_DISPATCH(group, dtype, name, ...)                                                                 \
    REEL_DISPATCH_SWITCH(dtype, name, REEL_DISPATCH_CASE_##group(__VA_ARGS__))
#define REEL_PRIVATE_DISPATCH_AND(group, t, dtype, name, ...)                                                          \
    REEL_DISPATCH_SWITCH(dtype, name, REEL_DISPATCH_CASE_##group(__VA_ARGS__) REEL_DISPATCH_CASE(t, __VA_ARGS__))
#define REEL_PRIVATE_DISPATCH_AND2(group, t, u, dtype, name, ...)                                                      \
    REEL_DISPATCH_SWITCH(dtype, name,                                                                                  \
                         REEL_DISPATCH_CASE_##group(__VA_ARGS__) REEL_DISPATCH_CASE(t, __VA_ARGS__)                    \
                             REEL_DISPATCH_CASE(u, __VA_ARGS__))
#define REEL_PRIVATE_DISPATCH_AND3(group, t, u, v, dtype, name, ...)                                                   \
    REEL_DISPATCH_SWITCH(dtype, name,                                                                                  \
                         REEL_DISPATCH_CASE_##group(__VA_ARGS__) REEL_DISPATCH_CASE(t, __VA_ARGS__)                    \
                             REEL_DISPATCH_CASE(u, __VA_ARGS__) REEL_DISPATCH_CASE(v, __VA_ARGS__))

/// For float32 and float64; the forms below for more. `_AND(t, ...)`, `_AND2(t, u, ...)`, `_AND3(t, u, v, ...)`: for
/// these dtypes, too.
#define REEL_DISPATCH_FLOATING_TYPES(...) REEL_PRIVATE_DISPATCH(FLOATING_TYPES, __VA_ARGS__)
#define REEL_DISPATCH_FLOATING_TYPES_AND_HALF(...) REEL_DISPATCH_FLOATING_TYPES_AND(::reel::kHalf, __VA_ARGS__)
#define REEL_DISPATCH_FLOATING_TYPES_AND(...) REEL_PRIVATE_DISPATCH_AND(FLOATING_TYPES, __VA_ARGS__)
#define REEL_DISPATCH_FLOATING_TYPES_AND2(...) REEL_PRIVATE_DISPATCH_AND2(FLOATING_TYPES, __VA_ARGS__)
#define REEL_DISPATCH_COMPLEX_TYPES(...) REEL_PRIVATE_DISPATCH(COMPLEX_TYPES, __VA_ARGS__)
#define REEL_DISPATCH_FLOATING_AND_COMPLEX_TYPES(...) REEL_PRIVATE_DISPATCH(FLOATING_AND_COMPLEX_TYPES, __VA_ARGS__)
#define REEL_DISPATCH_INTEGRAL_TYPES(...) REEL_PRIVATE_DISPATCH(INTEGRAL_TYPES, __VA_ARGS__)
#define REEL_DISPATCH_INTEGRAL_TYPES_AND(...) REEL_PRIVATE_DISPATCH_AND(INTEGRAL_TYPES, __VA_ARGS__)
#define REEL_DISPATCH_ALL_TYPES(...) REEL_PRIVATE_DISPATCH(ALL_TYPES, __VA_ARGS__)
#define REEL_DISPATCH_ALL_TYPES_AND(...) REEL_PRIVATE_DISPATCH_AND(ALL_TYPES, __VA_ARGS__)
#define REEL_DISPATCH_ALL_TYPES_AND2(...) REEL_PRIVATE_DISPATCH_AND2(ALL_TYPES, __VA_ARGS__)
#define REEL_DISPATCH_ALL_TYPES_AND_COMPLEX(...) REEL_PRIVATE_DISPATCH(ALL_TYPES_AND_COMPLEX, __VA_ARGS__)
#define REEL_DISPATCH_ALL_TYPES_AND_COMPLEX_AND3(...) REEL_PRIVATE_DISPATCH_AND3(ALL_TYPES_AND_COMPLEX, __VA_ARGS__)
/// For int32 and int64, which are `index_t`.
#define REEL_DISPATCH_INDEX_TYPES(dtype, name, ...)                                                                    \
    REEL_DISPATCH_SWITCH(dtype, name,                                                                                  \
                         REEL_PRIVATE_CASE_TYPE_USING_HINT(::reel::kInt, index_t, __VA_ARGS__)                         \
                             REEL_PRIVATE_CASE_TYPE_USING_HINT(::reel::kLong, index_t, __VA_ARGS__))
