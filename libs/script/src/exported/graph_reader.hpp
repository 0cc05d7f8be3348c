// The graph of `models/model.json` (rules SC-103 to SC-107).
#pragma once

#include <boost/json.hpp>

#include "exported/program.hpp"

namespace reel::jit {

/// ValueError and NotImplementedError naming the node.
ExportedGraph read_exported_graph(const boost::json::object& graph, int depth = 0);
/// A size: a number or an expression.
SizeExpression read_size(const boost::json::object& size);

} // namespace reel::jit
