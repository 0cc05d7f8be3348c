// Calls of the toolkit that fail because a test wants them to.
#pragma once

extern "C" {
/// The `n`-th call from now on that can fail does so, once, and does nothing; 0: none does. C linkage, so that a
/// program that is linked with neither device can look for it by name.
void reel_emulation_fail(long n);
/// The `n`-th such call fails, and with it each one after it: the device has gone. 0: it is back.
void reel_emulation_vanish(long n);
/// From the `n`-th request for the device's memory on there is none left. 0: there is.
void reel_emulation_run_out(long n);
/// How many calls that can fail, and how many requests for memory, there were since the last of these calls.
long reel_emulation_calls();
long reel_emulation_requests();
}
