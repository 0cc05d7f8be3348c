// What Adam and AdamW share.
#pragma once

#include <reel/optim/adam.hpp>

namespace reel::optim {

struct AdamNumbers {
    double lr, beta1, beta2, eps, weight_decay;
    bool amsgrad, maximize, decoupled;
};
void adam_update(const char* name, const Tensor& p, const Tensor& g, AdamParamState& s, const AdamNumbers& o);
/// Throws ValueError naming the argument.
void check_betas(const char* name, const std::tuple<double, double>& betas);
void check_not_negative(const char* name, const char* argument, double value);

} // namespace reel::optim
