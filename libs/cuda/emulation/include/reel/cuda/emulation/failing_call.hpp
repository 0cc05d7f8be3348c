// Calls of the toolkit that fail because a test wants them to.
#pragma once

extern "C" {
/// The `n`-th call from now on that can fail does so, once, and does nothing; 0: none does. C linkage, so that a
/// program that is linked with neither device can look for it by name.
void reel_emulation_fail(long n);
/// How many calls that can fail there were since then.
long reel_emulation_calls();
}
