// How messages and printed modules name a class.
#pragma once

#include <string>
#include <typeinfo>

namespace reel::nn {

/// `Linear` for `reel::nn::LinearImpl`: without namespaces, template arguments and `Impl`.
std::string type_name(const std::type_info& type);
/// The same for a name as C++ writes it.
std::string type_name(std::string qualified);

} // namespace reel::nn
