// How libtorch prints modules: `reel::nn::Linear(in_features=2, out_features=3, bias=true)`.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include <reel/nn/module.hpp>
#include <reel/nn/option_visitor.hpp>

namespace reel::nn::detail {

/// While one lives, this thread prints the options of `layer` in libtorch's form.
class LibtorchForm {
public:
    explicit LibtorchForm(std::string layer) : layer_(std::move(layer)), before_(current_) { current_ = this; }
    ~LibtorchForm() { current_ = before_; }
    LibtorchForm(const LibtorchForm&) = delete;
    /// Null where Python's form is asked for.
    static const LibtorchForm* current() { return current_; }
    const std::string& layer() const { return layer_; }

private:
    std::string layer_;
    const LibtorchForm* before_;
    static thread_local const LibtorchForm* current_;
};

struct PrintedOption {
    std::string name, text;
    Shown shown;
};
/// The options of `layer`, in C++'s words, as its libtorch twin lists them.
std::string libtorch_options(std::string_view layer, const std::vector<PrintedOption>& options,
                             const std::vector<PrintedOption>& defaults);
/// The line of one module, without its children.
std::string libtorch_line(const Module& module);
/// The module with its children, each as its `pretty_print` has it.
void print_as_libtorch(std::ostream& os, const Module& module, const std::string& indentation = {});

} // namespace reel::nn::detail
