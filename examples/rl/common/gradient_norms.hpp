// How strong the gradients of a network are, layer by layer.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <reel/nn/module.hpp>

#include "history.hpp"

namespace agents {

/// The norm of each linear layer's weight gradient, seen by full backward hooks once it is there, and averaged until it
/// is taken. The first layer's hook wants an input that requires a gradient. The network must outlive it.
class GradientNorms {
public:
    explicit GradientNorms(reel::nn::Module& network);
    ~GradientNorms();
    GradientNorms(const GradientNorms&) = delete;
    GradientNorms& operator=(const GradientNorms&) = delete;

    /// "layer 1", "layer 2", ...
    std::vector<std::string> layers() const;
    /// The averages become points of the curves named as the layers.
    void take(History& history, double frames);
    bool listening = true;

private:
    struct Norm {
        std::string layer;
        double sum = 0;
        int count = 0;
    };
    std::vector<std::unique_ptr<Norm>> norms_;
    std::vector<reel::RemovableHandle> handles_;
};

} // namespace agents
