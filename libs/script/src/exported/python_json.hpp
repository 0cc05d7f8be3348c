// JSON text as Python's `json.dumps` writes it, which is what exported programs hold.
#pragma once

#include <string>

#include <boost/json.hpp>

namespace reel::jit {

/// `{"a": [1, 2.0]}`: a space behind comma and colon, keys in their order, ASCII alone, floats as Python shows them.
std::string python_json(const boost::json::value& value);

} // namespace reel::jit
