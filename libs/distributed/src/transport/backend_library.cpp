#include "transport/backend_library.hpp"

#include <string>

#include <dlfcn.h>

#include <reel/distributed/detail/transport.hpp>

namespace reel::distributed::detail {

void load_library_of(Backend backend) {
    if (registered_transport(backend)) return;
    const std::string name = "libreel_" + std::string(name_of(backend)) + ".so";
    Dl_info here{};
    if (::dladdr(reinterpret_cast<const void*>(&load_library_of), &here) && here.dli_fname) {
        const std::string own = here.dli_fname;
        const auto slash = own.rfind('/');
        // what it registers must stay, and so must the library
        if (slash != std::string::npos && ::dlopen((own.substr(0, slash + 1) + name).c_str(), RTLD_NOW | RTLD_GLOBAL))
            return;
    }
    ::dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL);
}

} // namespace reel::distributed::detail
