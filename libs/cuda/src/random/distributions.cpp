// Distributions that are drawn one number after the other, by the host on copies.
#include <reel/autograd/kernels/random.hpp>

#include "through_host.hpp"

namespace reel::cuda {

namespace {

[[maybe_unused]] const bool attached = [] {
    through_host<&cpu::bernoulli_of, 1>(kernels::bernoulli_of);
    through_host<&cpu::poisson, 1>(kernels::poisson);
    through_host<&cpu::binomial, 1>(kernels::binomial);
    through_host<&cpu::multinomial, 1>(kernels::multinomial);
    through_host<&cpu::rrelu_slope, 1>(kernels::rrelu_slope);
    return true;
}();

} // namespace

} // namespace reel::cuda
