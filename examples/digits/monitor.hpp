// Watches how large the gradients are that arrive at each module.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <reel/nn.hpp>

namespace digits {

/// Module path -> mean norm of the gradient of its output over the steps since the last `take`.
using GradientNorms = std::vector<std::pair<std::string, double>>;

class GradientMonitor {
public:
    GradientMonitor() = default;
    GradientMonitor(const GradientMonitor&) = delete;
    ~GradientMonitor() { detach(); }
    /// Puts a full backward pre-hook on every module below `root` that has no children. It sees the gradient of the
    /// output alone, so it needs no input that requires grad: the images, and what frozen features give, do not.
    void attach(reel::nn::Module& root);
    void detach();
    /// The means, in the modules' order; modules that no gradient reached are left out.
    GradientNorms take();

private:
    struct Entry {
        std::string path;
        double sum = 0;
        int count = 0;
    };
    std::vector<std::unique_ptr<Entry>> entries_;
    std::vector<reel::RemovableHandle> handles_;
};

} // namespace digits
