// Checks of options that several optimizers have. They throw ValueError naming the optimizer and the argument.
#pragma once

#include <tuple>

namespace reel::optim {

void check_betas(const char* optimizer, const std::tuple<double, double>& betas);
void check_not_negative(const char* optimizer, const char* argument, double value);

} // namespace reel::optim
