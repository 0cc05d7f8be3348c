// What the blocks declare to be views.
#pragma once

#include <set>
#include <string>

namespace properties {

/// The schemas, as text, whose blocks say `view`; tools/opgen.py writes the function.
const std::set<std::string>& declared_views();

} // namespace properties
