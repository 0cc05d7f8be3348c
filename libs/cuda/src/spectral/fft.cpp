// Fourier transforms of what lies on the device, by the host on copies.
#include <reel/autograd/kernels/fft.hpp>

#include "through_host.hpp"

namespace reel::cuda {

namespace {

[[maybe_unused]] const bool attached = [] {
    through_host<&cpu::fft_c2c, 1>(kernels::fft_c2c);
    through_host<&cpu::fft_r2c, 1>(kernels::fft_r2c);
    through_host<&cpu::fft_c2r, 1>(kernels::fft_c2r);
    return true;
}();

} // namespace

} // namespace reel::cuda
