// Modules by name from their Python arguments: each class declares them once, in its own file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <reel/nn/module.hpp>

namespace reel::nn {

/// Arguments of a constructor, bound by position and name.
class ConstructorArgs {
public:
    ConstructorArgs(const char* module, std::initializer_list<const char*> names, const Args& args,
                    const Kwargs& kwargs);
    bool has(const char* name) const;   ///< given and not None
    bool given(const char* name) const; ///< given, None included
    /// The argument's value; throws TypeError when it is missing.
    const Value& at(const char* name) const;
    template <class T> T get(const char* name) const { return at(name).to<T>(); }
    template <class T> T get(const char* name, T fallback) const { return has(name) ? at(name).to<T>() : fallback; }
    /// One integer or a list of them, expanded to `n`.
    std::vector<std::int64_t> ints(const char* name, std::size_t n, std::int64_t fallback) const;

private:
    const char* module_;
    std::vector<std::pair<std::string, Value>> values_;
};

using ModuleFactory = ModulePtr (*)(const Args& args, const Kwargs& kwargs);
/// Makes a module by its Python class name. KeyError for an unknown class.
ModulePtr make_module(std::string_view name, const Args& args = {}, const Kwargs& kwargs = {});
bool has_module(std::string_view name);
/// Registers a class; called from the class's own source file.
bool register_module_class(const char* name, ModuleFactory factory);

} // namespace reel::nn
