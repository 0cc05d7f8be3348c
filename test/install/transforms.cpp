// A program of a user that links FFTW's transforms and names nothing of them.
#include <cstdio>
#include <cstring>

#include <reel/autograd/fft_kernels.hpp>
#include <reel/reel.hpp>

int main() {
    const reel::Tensor x = reel::ones({4}), y = reel::fft::fft(x);
    const double sum = reel::real(y).sum().item<double>();
    std::printf("%s %g\n", reel::fft_kernels().name, sum);
    return std::strcmp(reel::fft_kernels().name, "fftw") == 0 && sum == 4 ? 0 : 1;
}
