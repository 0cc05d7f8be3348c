// How layers are made from arguments of Python: options are bound, `dtype` is the default meanwhile.
#pragma once

#include <optional>
#include <string>

#include <reel/nn/detail/option_list.hpp>
#include <reel/nn/module.hpp>

namespace reel::nn {

class ConstructorArgs;

namespace detail {
ConstructorArgs bind_options(std::string module, const OptionList& options, const Args& args, const Kwargs& kwargs);
/// While it lives the constructor argument `dtype` is the default: parameters are drawn in it, not converted.
class ArgumentDtype {
public:
    explicit ArgumentDtype(const ConstructorArgs& arguments);
    ~ArgumentDtype();
    ArgumentDtype(const ArgumentDtype&) = delete;
    /// No default can be complex: those are converted.
    void finish(Module& m) const;

private:
    ScalarType before_;
    std::optional<ScalarType> complex_;
};
} // namespace detail

} // namespace reel::nn
