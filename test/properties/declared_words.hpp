// What the words of the ops' blocks say, for tests; tools/opgen.py writes the functions.
#pragma once

#include <set>
#include <string>
#include <utility>

namespace properties {

/// The schemas, as text, whose blocks say `view`.
const std::set<std::string>& declared_views();
/// The arguments, each as its schema's text and its name, whose blocks say `any_device`.
const std::set<std::pair<std::string, std::string>>& arguments_of_any_device();

} // namespace properties
