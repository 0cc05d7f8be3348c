// Modules by name from their Python arguments: each class declares them once, in its own file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <reel/nn/detail/argument_dtype.hpp>
#include <reel/nn/module.hpp>
#include <reel/nn/option_visitor.hpp>
#include <reel/nn/options.hpp>
#include <reel/nn/type_name.hpp>

namespace reel::nn {

/// Arguments of a constructor, bound by position and name.
class ConstructorArgs {
public:
    /// `positional`: how many of the names can be given by position, unless all.
    ConstructorArgs(std::string module, const std::vector<const char*>& names, const Args& args, const Kwargs& kwargs,
                    std::optional<std::size_t> positional = std::nullopt);
    bool has(const char* name) const;   ///< given and not None
    bool given(const char* name) const; ///< given, None included
    /// The argument's value; throws TypeError when it is missing.
    const Value& at(const char* name) const;
    template <class T> T get(const char* name) const { return at(name).to<T>(); }
    template <class T> T get(const char* name, T fallback) const { return has(name) ? at(name).to<T>() : fallback; }
    const std::string& module() const { return module_; }

private:
    std::string module_;
    std::vector<std::pair<std::string, Value>> values_;
};

using ModuleFactory = ModulePtr (*)(const Args& args, const Kwargs& kwargs);
/// Makes a module by its Python class name. KeyError for an unknown class.
ModulePtr make_module(std::string_view name, const Args& args = {}, const Kwargs& kwargs = {});
bool has_module(std::string_view name);
/// Registers a class; called from the class's own source file.
bool register_module_class(const char* name, ModuleFactory factory);

/// A layer's options from Python's arguments, by their list; `arguments` also has those that are no options. Errors:
/// TypeError for an unknown, missing or doubly given argument or one of the wrong kind, ValueError for a value that
/// none of the option's is; both name the layer and the argument.
template <class O> struct BoundOptions {
    BoundOptions(std::string module, const Args& args, const Kwargs& kwargs)
        : options(detail::default_options<O>()),
          arguments(detail::bind_options(std::move(module), detail::list_of(options), args, kwargs)) {}
    O options;
    ConstructorArgs arguments;
};
/// Makes the module with the constructor argument `dtype` as default.
template <class M, class... O> std::shared_ptr<M> built(const ConstructorArgs& arguments, O&&... options) {
    const detail::ArgumentDtype dtype(arguments);
    auto m = std::make_shared<M>(std::forward<O>(options)...);
    dtype.finish(*m);
    return m;
}
/// The layer `M` from Python's arguments: those that its options list, none where it has no options.
template <class M> ModulePtr make_layer(const Args& args, const Kwargs& kwargs) {
    const std::string name = type_name(typeid(M));
    if constexpr (requires(M & m, OptionVisitor & v) { m.options.fields(v); }) {
        BoundOptions<decltype(M::options)> bound(name, args, kwargs);
        return built<M>(bound.arguments, std::move(bound.options));
    } else return built<M>(ConstructorArgs(name, {}, args, kwargs));
}
/// Registers layers under the names of their classes without `Impl`; called from their own source file.
template <class... M> bool register_layers() {
    return (register_module_class(type_name(typeid(M)).c_str(), &make_layer<M>) && ...);
}
/// The same for layers whose constructor does more than read their options: `make.operator()<M>(name, args, kwargs)`.
template <class... M, class Make> bool register_layers_by(Make) {
    return (register_module_class(type_name(typeid(M)).c_str(),
                                  [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                                      return Make{}.template operator()<M>(type_name(typeid(M)), args, kwargs);
                                  }) &&
            ...);
}

} // namespace reel::nn
