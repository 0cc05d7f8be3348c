// Timing: medians over repetitions, one row per figure, in the peer's form.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace bench {

/// The median of `reps` timings of `inner` calls each, in microseconds a call, after `warm` calls.
double median_us(const std::function<void()>& f, int warm, int reps, int inner);
/// Prints `NAME  MICROSECONDS us`.
void row(const char* name, double us);
/// What a row cannot do without: bytes read and written, floating operations of products.
struct Work {
    std::int64_t bytes = 0;
    double flops = 0;
};
/// The least time for it at the speeds that a copy and a large product reach on this machine.
double floor_us(const Work& work);
/// Prints the row, and its floor as `NAME.floor`.
void row(const char* name, double us, const Work& work);
/// Prints another figure: a size, a count.
void figure(const char* name, double value, const char* unit);
/// Is this row asked for?
bool wanted(const char* name);
/// Is there a filter that begins like this? For rows that nobody wants by chance.
bool asked_for(const char* prefix);

/// Times the calls of ops that `file` lists and writes the figures to `out`, each from about `seconds`; the program's
/// status.
int op_sweep(const std::string& file, const std::string& out, double seconds);

/// Rows of work on a device; `small`: sizes that an emulated one gets through. The program's status.
int on_device(const char* device, bool small);

void elementwise();
void tape();
void training();
void hooks();
void files();
void fft();
void rl();
void scripts();
void compiled();
void ranks();
void per_item();
void ranks_memory(); ///< of `ranks`, while there is a session

} // namespace bench
