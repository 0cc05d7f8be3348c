// What a factory says to `randn(3, 4)`: sizes stand in braces.
#pragma once

#include <type_traits>

#include <reel/autograd/detail/exact_argument.hpp>
#include <reel/autograd/tensor.hpp>

namespace reel {

namespace detail {
template <class...> inline constexpr bool sizes_in_braces = false;
}

#define REEL_SIZES_IN_BRACES(name)                                                                                     \
    template <detail::Integer A, detail::Integer B, class... More> Tensor name(A, B, More&&...) {                      \
        static_assert(detail::sizes_in_braces<A, B>, #name " takes its sizes as one list: " #name "({3, 4})");         \
        return {};                                                                                                     \
    }
REEL_SIZES_IN_BRACES(empty)
REEL_SIZES_IN_BRACES(ones)
REEL_SIZES_IN_BRACES(rand)
REEL_SIZES_IN_BRACES(randn)
REEL_SIZES_IN_BRACES(zeros)
#undef REEL_SIZES_IN_BRACES

} // namespace reel
