// Making calls: draws, mutates, attempts, and keeps the board up to date.
#include "op_fuzz/worker.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>

#include <reel/autograd/error.hpp>
#include <reel/autograd/parallel.hpp>

#include "op_fuzz/mutate.hpp"
#include "op_fuzz/samples.hpp"

namespace op_fuzz {

using namespace reel;

namespace {

struct Silence : WarningHandler {
    void process(const Warning&) override {}
};

/// Writable memory beyond what there is now. A sanitizer keeps books larger than any limit; its allocator has one of
/// its own (main.cpp).
void limit_memory([[maybe_unused]] int mib) {
#ifndef REEL_SANITIZE
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        if (word != "VmData:") continue;
        rlim_t kib = 0;
        status >> kib;
        const rlim_t bytes = (kib << 10) + (rlim_t(mib) << 20);
        const rlimit limit{bytes, bytes};
        setrlimit(RLIMIT_DATA, &limit);
        return;
    }
#endif
}

/// Without the lines in which AddressSanitizer says that an allocation failed: the op says so itself.
std::string without_allocator_notes(const std::string& text) {
    std::string rest;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
        const std::string line = text.substr(at, end - at);
        if (line.find("WARNING: AddressSanitizer failed to allocate") == line.npos) rest += line;
        at = end;
    }
    return rest;
}
/// What an op wrote to standard output or error, which are one file here.
std::string printed() {
    std::fflush(stdout);
    std::fflush(stderr);
    struct stat s;
    if (fstat(2, &s) != 0 || !S_ISREG(s.st_mode) || s.st_size == 0) return {};
    std::string text(std::size_t(std::min<off_t>(s.st_size, 4096)), '\0');
    const ssize_t n = pread(2, text.data(), text.size(), 0);
    text.resize(n > 0 ? std::size_t(n) : 0);
    if (ftruncate(2, 0) != 0) return "cannot empty the log";
    return without_allocator_notes(text);
}

Call draw(const Options& options, const ops::Op& op, std::uint64_t call, Samples& samples) {
    Dice dice(options.seed, op.name, call);
    Call c = copied(samples.draw(op, dice));
    mutate(op, c, dice);
    return c;
}

void begin(Desk& desk, Stage s) {
    desk.stage = int(s);
    desk.since = milliseconds(CLOCK_MONOTONIC);
    desk.work = milliseconds(CLOCK_PROCESS_CPUTIME_ID);
    desk.busy = true;
}

} // namespace

void work(const Options& options, const std::vector<std::string>& names, Board& board, Desk& desk, int out,
          std::uint64_t resume_at) {
    Silence silence;
    WarningUtils::set_warning_handler(&silence);
    set_num_threads(1);
    limit_memory(options.memory_mib);
    Samples samples(reference_folder());
    const auto tell = [&](const std::string& name, std::uint64_t call, Stage s, Outcome o, const std::string& text) {
        ++board.counts[int(s)][int(o)];
        if (!is_finding(o)) return;
        std::string line = str(int(s), " ", int(o), " ", call, " ", name, " ", desk.text, " => ", text.substr(0, 600));
        for (char& c : line)
            if (c == '\n') c = ' ';
        line += '\n';
        if (::write(out, line.data(), line.size()) < 0) _exit(3);
    };
    while (!board.stop) {
        if (resume_at == 0) desk.batch = board.next_batch.fetch_add(1);
        const std::uint64_t round = desk.batch / names.size();
        if (options.rounds && round >= options.rounds) break;
        const std::string& name = names[desk.batch % names.size()];
        const ops::Op& op = *ops::registry().find(name);
        const std::uint64_t end = (round + 1) * batch_size;
        for (std::uint64_t k = resume_at ? resume_at : round * batch_size; k < end && !board.stop; ++k) {
            desk.call = k;
            desk.endless = false;
            std::strcpy(desk.text, "(the arguments)");
            begin(desk, Stage::Draw);
            const Call call = draw(options, op, k, samples);
            desk.endless = has_endless_operand(call);
            std::snprintf(desk.text, sizeof desk.text, "%s", describe(name, call).c_str());
            printed();
            attempt(op, call,
                    {[&](Stage s) { begin(desk, s); },
                     [&](Stage s, Outcome o, const std::string& text) {
                         tell(name, k, s, o, text);
                         const std::string noise = printed();
                         if (!noise.empty()) tell(name, k, s, Outcome::Printed, noise);
                     }});
            desk.busy = false;
            ++board.calls;
        }
        resume_at = 0;
    }
}

void work_once(const Options& options, Desk& desk) {
    set_num_threads(1);
    limit_memory(options.memory_mib);
    Samples samples(reference_folder());
    const ops::Op& op = ops::registry().at(options.op);
    desk.call = std::uint64_t(options.only);
    begin(desk, Stage::Draw);
    const Call call = draw(options, op, desk.call, samples);
    desk.endless = has_endless_operand(call);
    std::printf("%s\n", describe(op.name, call).c_str());
    std::fflush(stdout);
    attempt(op, call,
            {[&](Stage s) {
                 begin(desk, s);
                 std::printf("%s: ", name_of(s));
                 std::fflush(stdout);
             },
             [](Stage, Outcome o, const std::string& text) {
                 std::printf("%s%s%s\n", name_of(o), text.empty() ? "" : ": ", text.c_str());
                 std::fflush(stdout);
             }});
}

} // namespace op_fuzz
