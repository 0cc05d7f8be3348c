#include "library.hpp"

#include <cstdlib>

#include <dlfcn.h>

namespace reel::cuda {

std::optional<void*> find_library(const char* function, const char* variable, const std::string& file,
                                  std::string& missing) {
    const char* const name = std::getenv(variable);
    if (!name && dlsym(RTLD_DEFAULT, function)) return RTLD_DEFAULT; // which is null
    void* const library = dlopen(name ? name : file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library) return library;
    missing = dlerror();
    return std::nullopt;
}

void* find_function(void* library, const char* name) { return dlsym(library, name); }

} // namespace reel::cuda
