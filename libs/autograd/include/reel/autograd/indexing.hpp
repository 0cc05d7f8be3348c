// Index expressions: what goes between the brackets of `x.index({...})`.
#pragma once

#include <cstdint>
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

/// `start:stop:step`; absent parts mean the whole extent. Negative steps are refused.
class Slice {
public:
    using Part = std::optional<std::int64_t>;
    struct Arg {
        Part value;
        constexpr Arg(NoneType) {}
        constexpr Arg(std::nullopt_t) {}
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

} // namespace reel::indexing
