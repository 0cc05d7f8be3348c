// FFTW's transforms in the place of Reel's own. FFTW is under the GPL: see doc/adr/0021.
#pragma once

#include <reel/autograd/fft_kernels.hpp>

namespace reel::fftw {

/// FFTW's transforms, which are in use from the moment the library is loaded: a program that links `libreel_fftw` and
/// names nothing of it must ask the linker to keep it (`Reel::fftw` and `pkg-config reel_fftw` do).
/// `set_fft_kernels(nullptr)` brings Reel's own back, `set_fft_kernels(&fftw::kernels())` these. A program that plans
/// with FFTW itself while another of its threads calls `fft.*` must call `fftw_make_planner_thread_safe()` first.
const FftKernels& kernels();

} // namespace reel::fftw
