// Index expressions: what goes between the brackets of `x.index({...})`.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include <reel/autograd/fwd.hpp>

namespace reel::indexing {

struct NoneType {};
/// A new dimension of size one.
inline constexpr NoneType None{};
struct EllipsisType {};
/// As many full slices as fit.
inline constexpr EllipsisType Ellipsis{};

/// The end of a slice that has none, and the start of one backwards, as libtorch counts them: equal to an absent part.
template <std::int64_t number> struct SliceBound {
    constexpr operator std::int64_t() const { return number; }
    friend constexpr bool operator==(const std::optional<std::int64_t>& part, SliceBound) {
        return part.value_or(number) == number;
    }
};
inline constexpr SliceBound<std::numeric_limits<std::int64_t>::max()> INDEX_MAX;
inline constexpr SliceBound<std::numeric_limits<std::int64_t>::min()> INDEX_MIN;

/// `start:stop:step`; absent parts mean the whole extent. Negative steps are refused.
class Slice {
public:
    using Part = std::optional<std::int64_t>;
    struct Arg {
        Part value;
        constexpr Arg(NoneType) {}
        constexpr Arg(std::nullopt_t) {}
        template <std::int64_t number> constexpr Arg(SliceBound<number>) {}
        constexpr Arg(std::int64_t v) : value(v) {}
        constexpr Arg(int v) : value(v) {}
    };
    constexpr Slice(Arg start = None, Arg stop = None, Arg step = None)
        : start_(start.value), stop_(stop.value), step_(step.value.value_or(1)) {}
    constexpr Part start() const { return start_; }
    constexpr Part stop() const { return stop_; }
    constexpr std::int64_t step() const { return step_; }

private:
    Part start_, stop_;
    std::int64_t step_;
};
/// `1:5:2`; what is absent stays empty, in libtorch's form it is a number (reel/autograd/printing.hpp).
std::ostream& operator<<(std::ostream& os, const Slice& slice);

} // namespace reel::indexing
