// The error of using an undefined tensor. It arises in accessors, far below the function that was given the tensor; the
// call stack tells which that was.
#include <dlfcn.h>

#include <boost/core/demangle.hpp>
#include <boost/stacktrace.hpp>

#include <reel/autograd/tensor.hpp>

namespace reel {

namespace {

/// `reel::linalg::solve(reel::Tensor const&, ...)` is `linalg.solve`, `reel::Tensor::add(...) const` is `add`.
std::string name_of_op(const char* symbol) {
    std::string name = boost::core::demangle(symbol);
    name.resize(std::min(name.find('('), name.size()));
    for (const std::string_view scope : {"reel::", "Tensor::"})
        if (name.starts_with(scope)) name.erase(0, scope.size());
    for (const std::string_view space : {"linalg::", "fft::", "special::"})
        if (name.starts_with(space)) name.replace(space.size() - 2, 2, ".");
    return name;
}

/// The outermost function of this library on the stack, empty where its name is not known.
std::string function_called() {
    Dl_info own, info;
    if (!dladdr(reinterpret_cast<const void*>(&function_called), &own)) return {};
    const char* symbol = nullptr;
    for (const auto& frame : boost::stacktrace::stacktrace(1, 64)) {
        // a return address: the call itself ends one byte before
        if (!dladdr(static_cast<const char*>(frame.address()) - 1, &info) || info.dli_fbase != own.dli_fbase) break;
        if (info.dli_sname) symbol = info.dli_sname;
    }
    const std::string name = symbol ? name_of_op(symbol) : std::string();
    return name == "throw_undefined" ? std::string() : name;
}

} // namespace

void Tensor::throw_undefined() {
    const std::string op = function_called();
    REEL_THROW(TypeError, op, op.empty() ? "" : ": ",
               "an undefined Tensor was used; it stands for 'absent' and has no properties");
}

} // namespace reel
