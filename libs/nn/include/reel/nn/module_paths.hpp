// Which module made a node of the tape: dotted paths recorded while modules run.
#pragma once

#include <string>
#include <unordered_map>

#include <reel/nn/module.hpp>

namespace reel::nn {

namespace detail {
/// The path of a running module, null when nobody records.
const std::string* recorded_path(const Module& m);
} // namespace detail

/// While it lives, nodes made on this thread inside calls of `root` and its submodules carry the path of the innermost
/// running one (`Node::module_path`, shown by `autograd::TapeView`). Calls that bypass hooks (`forward` called
/// directly) count for the module around them. Shared modules go by their first path.
class RecordModulePaths {
public:
    /// `name` is the path of `root` itself, and the prefix of all others.
    explicit RecordModulePaths(const Module& root, const std::string& name = {});
    ~RecordModulePaths();
    RecordModulePaths(const RecordModulePaths&) = delete;

private:
    std::unordered_map<const Module*, std::string> paths_;
    const RecordModulePaths* previous_;
    friend const std::string* detail::recorded_path(const Module& m);
};

} // namespace reel::nn
