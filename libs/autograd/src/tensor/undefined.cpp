// The error of using an undefined tensor. It arises in accessors, far below the function that was given the tensor; the
// call stack tells which that was.
#include <dlfcn.h>

#include <boost/core/demangle.hpp>
#include <boost/stacktrace.hpp>

#include <reel/autograd/op.hpp>

#include "tensor/sparse_parts.hpp"

namespace reel {

namespace {

/// The op that a function of this library is, as a message names it: `linalg.solve` for `reel::linalg_solve(...)`,
/// `add_` for `reel::Tensor::add_(...) const`; empty for other functions.
std::string op_of(const char* symbol) {
    std::string name = boost::core::demangle(symbol);
    name.resize(std::min(name.find('('), name.size()));
    for (const std::string_view scope : {"reel::", "Tensor::"})
        if (name.starts_with(scope)) name.erase(0, scope.size());
    for (const std::string space : {"linalg", "fft", "special"})
        for (const std::string_view joint : {"::", "_"})
            if (name.starts_with(space + std::string(joint))) name.replace(space.size(), joint.size(), ".");
    const std::string form = name.ends_with('_') ? name.substr(0, name.size() - 1) : name;
    const auto known = [](const std::string& n) { return ops::registry().find(n) != nullptr; };
    return known(name) || known(form) || known("nn.functional." + form) ? name : std::string();
}

} // namespace

std::string detail::op_called() {
    Dl_info own, info;
    if (!dladdr(reinterpret_cast<const void*>(&detail::op_called), &own)) return {};
    std::string op;
    for (const auto& frame : boost::stacktrace::stacktrace(1, 64)) {
        // a return address: the call itself ends one byte before
        if (!dladdr(static_cast<const char*>(frame.address()) - 1, &info) || info.dli_fbase != own.dli_fbase) break;
        if (const std::string name = info.dli_sname ? op_of(info.dli_sname) : std::string(); !name.empty()) op = name;
    }
    return op;
}

void Tensor::throw_undefined() {
    const std::string op = detail::op_called();
    REEL_THROW(TypeError, op, op.empty() ? "" : ": ",
               "an undefined Tensor was used; it stands for 'absent' and has no properties");
}

} // namespace reel
