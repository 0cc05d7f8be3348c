#include "checks.hpp"

#include <reel/autograd/error.hpp>

namespace reel::optim {

void check_not_negative(const char* optimizer, const char* argument, double value) {
    REEL_CHECK_VALUE(value >= 0, optimizer, ": ", argument, " must not be negative, got ", value);
}
void check_betas(const char* optimizer, const std::tuple<double, double>& betas) {
    for (const double b : {std::get<0>(betas), std::get<1>(betas)})
        REEL_CHECK_VALUE(b >= 0 && b < 1, optimizer, ": each of the betas must be in [0, 1), got ", b);
}

} // namespace reel::optim
