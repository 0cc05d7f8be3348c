// From the reference's operators to Reel's (rules SC-90, SC-91).
#pragma once

#include <span>
#include <string_view>

#include <reel/script/operator.hpp>

namespace reel::jit {

/// An operator whose name or arguments differ from Reel's beyond what `map_to_reel` finds by itself.
struct Mapping {
    std::string_view aten; ///< `aten::where.self`, or `aten::dropout` for all overloads
    std::string_view reel; ///< a name of the registry
    /// `input=self, weight=weight, dtype=None`: what Reel's arguments get (an argument of aten's, or a literal). Empty:
    /// by name and position as usual. What of aten's is not named is dropped.
    std::string_view arguments = {};
};
std::span<const Mapping> mappings();

/// What runs the overload by an op of Reel's registry; empty when there is none.
struct ReelCall {
    Operation run;
    bool is_random = false;
};
ReelCall map_to_reel(const FunctionSchema& schema);

} // namespace reel::jit
