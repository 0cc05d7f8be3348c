#include <reel/cuda/emulation/failing_call.hpp>

#include <atomic>

#include "runtime.hpp"

namespace reel::cuda::emulation {

namespace {
std::atomic<long> to_fail{0}, gone_from{0}, none_from{0}, calls{0}, requests{0};
void begin_anew(long fail, long gone, long none) {
    to_fail = fail, gone_from = gone, none_from = none;
    calls = requests = 0;
}
bool reached(long n, long from) { return from != 0 && n >= from; }
} // namespace

bool this_call_fails() {
    const long n = ++calls;
    return n == to_fail || reached(n, gone_from);
}
bool this_request_fails() {
    const bool fails = this_call_fails();
    return reached(++requests, none_from) || fails;
}

} // namespace reel::cuda::emulation

using namespace reel::cuda::emulation;

void reel_emulation_fail(long n) { begin_anew(n, 0, 0); }
void reel_emulation_vanish(long n) { begin_anew(0, n, 0); }
void reel_emulation_run_out(long n) { begin_anew(0, 0, n); }
long reel_emulation_calls() { return calls; }
long reel_emulation_requests() { return requests; }
