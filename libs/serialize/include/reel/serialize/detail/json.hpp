// JSON texts whose numbers are read as they were written.
#pragma once

#include <cstddef>
#include <string_view>

#include <boost/json/fwd.hpp>

namespace reel::serialize {

/// What `boost::json::parse` makes of `text`, but for decimal fractions, which are the nearest doubles: the library
/// computes them in double precision, so that about one in six of those with 17 digits is a neighbour. Errors:
/// boost::system::system_error, for more than `max_depth` lists and objects in each other, too.
boost::json::value parse_json(std::string_view text, std::size_t max_depth = 32);

} // namespace reel::serialize
