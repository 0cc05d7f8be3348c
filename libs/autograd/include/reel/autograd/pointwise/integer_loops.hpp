// A word of rules about their loops.
#pragma once

namespace reel::pointwise {

/// Further base of a rule whose loops over integers and bools the build compiles once per instruction set; without it
/// they are compiled once.
struct integer_loops {};

} // namespace reel::pointwise
