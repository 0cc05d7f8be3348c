// What the targets for scripts and exported programs share.
#pragma once

#include <reel/script/compile.hpp>
#include <reel/script/load_save.hpp>

#include "fuzz.hpp"

namespace fuzz {

/// Runs are bounded, so that a loop without an end is none.
inline jit::RunLimits small_limits() {
    jit::RunLimits limits;
    limits.steps = 20'000;
    limits.live_bytes = 16 << 20;
    limits.call_depth = 100;
    return limits;
}
/// What compiled is sound: its graph verifies, and prints what reads back as the same graph; its code prints.
inline void check_function(jit::Function& f, jit::CompilationUnit& unit) {
    const std::shared_ptr<jit::Graph> graph = f.graph();
    graph->verify();
    std::shared_ptr<jit::Graph> again;
    if (!accepted([&] { again = jit::parse_graph(graph->str(), &unit); })) broken("a graph prints what it cannot read");
    if (jit::canonical(*again) != jit::canonical(*graph)) broken("a graph is another one when it is read back");
    f.code();
}

} // namespace fuzz
