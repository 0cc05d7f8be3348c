// Libraries of the toolkit that are looked for when the first op asks: Reel's own loads without them.
#pragma once

#include <optional>
#include <string>
#include <type_traits>

namespace reel::cuda {

/// What dlsym finds functions of a library with: the process, if it has `function` already and the environment's
/// `variable` names no other file, else that file or `file`, opened. Nothing, with the reason in `missing`, where there
/// is none.
std::optional<void*> find_library(const char* function, const char* variable, const std::string& file,
                                  std::string& missing);
/// The function of that name in what `find_library` gave; null where it has none.
void* find_function(void* library, const char* name);

/// A library's functions, each a pointer in `Functions`.
template <class Functions> struct Found {
    Functions functions{};
    std::string missing; ///< why they cannot be used; empty: they can
    const Functions* get() const { return missing.empty() ? &functions : nullptr; }
};

/// Finds all of `Functions` by their names in the library that has the first of them (`find_library`). `Functions` is a
/// struct made by REEL_FUNCTION_TABLE, or one with such an `each`.
template <class Functions> Found<Functions> find_functions(const char* variable, const std::string& file) {
    Found<Functions> found;
    std::optional<void*> library;
    bool first = true;
    found.functions.each([&](auto& function, const char* name) {
        if (first) library = find_library(name, variable, file, found.missing);
        first = false;
        if (!library) return;
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(find_function(*library, name));
        if (!function && found.missing.empty()) found.missing = std::string("it has no ") + name;
    });
    return found;
}

} // namespace reel::cuda

/// For the member `each` of a table: calls `f` with the pointer and the function's name.
#define REEL_VISIT_FUNCTION(name) f(name, #name);
#define REEL_FUNCTION_POINTER(name) decltype(&::name) name = nullptr;
/// A struct of pointers to the functions that `list(f)` names as `f(name)`, with the types that their header gives
/// them.
#define REEL_FUNCTION_TABLE(table, list)                                                                               \
    struct table {                                                                                                     \
        list(REEL_FUNCTION_POINTER) template <class F> void each(F f) { list(REEL_VISIT_FUNCTION) }                    \
    }
