// Perceptrons.
#pragma once

#include <functional>
#include <optional>

#include <reel/nn/cloneable.hpp>
#include <reel/nn/module_holder.hpp>
#include <reel/nn/modules/activation.hpp>
#include <reel/nn/options.hpp>

namespace reel::rl {

/// Makes a module; `features` is the size of what it will see.
using ModuleMaker = std::function<nn::ModulePtr(std::int64_t features)>;
/// `module_class<nn::ReLU>()`: of a holder class that needs no arguments.
template <class Holder> ModuleMaker module_class() {
    return [](std::int64_t) -> nn::ModulePtr { return Holder().ptr(); };
}

struct MLPOptions {
    MLPOptions(std::int64_t in_features, std::int64_t out_features)
        : in_features_(in_features), out_features_(out_features) {}
    REEL_ARG(std::int64_t, in_features);
    REEL_ARG(std::int64_t, out_features);
    /// Sizes of the hidden layers. With `depth` and none or one of them, that many of the same size (32 by default).
    REEL_ARG(std::vector<std::int64_t>, num_cells);
    REEL_ARG(std::optional<std::int64_t>, depth);
    REEL_ARG(ModuleMaker, activation_class) = module_class<nn::Tanh>();
    /// Behind each hidden layer, before its activation; none by default.
    REEL_ARG(ModuleMaker, norm_class);
    REEL_ARG(std::optional<double>, dropout);
    REEL_ARG(bool, bias_last_layer) = true;
    REEL_ARG(bool, activate_last_layer) = false;
};

/// Linear layers with activations between them, as children "0", "1", ...; several inputs are joined along the last
/// dimension. Errors: ValueError when `depth` and `num_cells` contradict each other.
class MLPImpl : public nn::Cloneable<MLPImpl> {
public:
    explicit MLPImpl(const MLPOptions& options);
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    Value forward_values(const Args& args, const Kwargs& kwargs) override;
    MLPOptions options;
};
REEL_MODULE(MLP);

} // namespace reel::rl
