// Names of classes for people.
#include <reel/nn/type_name.hpp>

#include <boost/core/demangle.hpp>

namespace reel::nn {

std::string type_name(const std::type_info& type) { return type_name(boost::core::demangle(type.name())); }

std::string type_name(std::string n) {
    if (const std::size_t bracket = n.find('<'); bracket != std::string::npos) n.resize(bracket);
    if (const std::size_t colon = n.rfind("::"); colon != std::string::npos) n = n.substr(colon + 2);
    if (n.size() > 4 && n.ends_with("Impl")) n.resize(n.size() - 4);
    return n;
}

} // namespace reel::nn
