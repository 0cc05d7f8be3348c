#include <reel/cuda/emulation/failing_call.hpp>

#include <atomic>

#include "runtime.hpp"

namespace reel::cuda::emulation {

namespace {
std::atomic<long> to_fail{0}, calls{0};
} // namespace

bool this_call_fails() { return ++calls == to_fail; }

} // namespace reel::cuda::emulation

void reel_emulation_fail(long n) {
    reel::cuda::emulation::to_fail = n;
    reel::cuda::emulation::calls = 0;
}
long reel_emulation_calls() { return reel::cuda::emulation::calls; }
