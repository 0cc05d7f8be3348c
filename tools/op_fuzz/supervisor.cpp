// Processes: one worker each, started again behind the call that ended it.
#include "op_fuzz/supervisor.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <sstream>
#include <thread>

#include <reel/autograd/error.hpp>

namespace op_fuzz {

using reel::str;

namespace {

Board& shared_board() {
    void* const p = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REEL_CHECK(p != MAP_FAILED, "op-fuzz: no shared memory: ", std::strerror(errno));
    return *static_cast<Board*>(p); // zeros are what every field begins with
}

struct Process {
    pid_t pid = -1;
    int out = -1; ///< findings, read here
    int log = -1; ///< its standard output and error
    std::string pending;
};

/// How a process ended, in words; empty for a good end.
std::string ending(int status) {
    if (WIFSIGNALED(status)) return std::string("SIG") + sigabbrev_np(WTERMSIG(status));
    if (WEXITSTATUS(status) != 0) return "exit status " + std::to_string(WEXITSTATUS(status));
    return {};
}

/// The line of a log that says most.
std::string telling_line(int log) {
    std::string text(1 << 16, '\0'), first;
    const ssize_t n = pread(log, text.data(), text.size(), 0);
    text.resize(n > 0 ? std::size_t(n) : 0);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (first.empty()) first = line;
        for (const char* mark : {"ERROR:", "runtime error:", "terminate called", "what():"})
            if (line.find(mark) != std::string::npos) return line;
    }
    return first;
}

class Supervisor {
public:
    Supervisor(const Options& options, const std::vector<std::string>& ops)
        : options_(options), ops_(ops), board_(shared_board()) {}
    bool run();

private:
    void start(int i, std::uint64_t resume_at);
    void read_findings(Process& p);
    void check_time(int i);
    bool reap(int i, bool again);
    void found(Stage s, Outcome o, std::uint64_t call, const std::string& op, const std::string& text);
    void totals() const;

    const Options& options_;
    const std::vector<std::string>& ops_;
    Board& board_;
    std::vector<Process> processes_;
    std::vector<bool> overdue_;
    std::map<std::string, int> seen_;
    std::uint64_t findings_ = 0;
};

void Supervisor::start(int i, std::uint64_t resume_at) {
    Process& p = processes_[std::size_t(i)];
    int ends[2];
    REEL_CHECK(pipe(ends) == 0, "op-fuzz: no pipe: ", std::strerror(errno));
    char name[] = "/tmp/op-fuzz-XXXXXX";
    p.log = mkostemp(name, O_APPEND);
    REEL_CHECK(p.log >= 0, "op-fuzz: no file in /tmp: ", std::strerror(errno));
    unlink(name);
    board_.desks[i].busy = false;
    overdue_[std::size_t(i)] = false;
    std::fflush(stdout);
    p.pid = fork();
    REEL_CHECK(p.pid >= 0, "op-fuzz: no process: ", std::strerror(errno));
    if (p.pid == 0) {
        dup2(p.log, 1);
        dup2(p.log, 2);
        close(ends[0]);
        work(options_, ops_, board_, board_.desks[i], ends[1], resume_at);
        _exit(0);
    }
    close(ends[1]);
    p.out = ends[0];
}

void Supervisor::found(Stage s, Outcome o, std::uint64_t call, const std::string& op, const std::string& text) {
    ++findings_;
    const int seen = seen_[op + name_of(s) + name_of(o)]++;
    if (seen >= options_.show) return;
    std::printf("%s, %s: %s\n    op-fuzz --seed %llu --op %s --only %llu\n", name_of(o), name_of(s), text.c_str(),
                static_cast<unsigned long long>(options_.seed), op.c_str(), static_cast<unsigned long long>(call));
    std::fflush(stdout);
}

void Supervisor::read_findings(Process& p) {
    char buffer[1 << 14];
    pollfd ready{p.out, POLLIN, 0};
    while (poll(&ready, 1, 0) > 0 && (ready.revents & POLLIN)) {
        const ssize_t n = read(p.out, buffer, sizeof buffer);
        if (n <= 0) break;
        p.pending.append(buffer, std::size_t(n));
    }
    for (std::size_t end; (end = p.pending.find('\n')) != std::string::npos; p.pending.erase(0, end + 1)) {
        std::istringstream line(p.pending.substr(0, end));
        int s = 0, o = 0;
        std::uint64_t call = 0;
        std::string op, text;
        line >> s >> o >> call >> op;
        std::getline(line >> std::ws, text);
        found(Stage(s), Outcome(o), call, op, text);
    }
}

/// Ends a worker whose call takes too long.
void Supervisor::check_time(int i) {
    const Desk& desk = board_.desks[i];
    const std::int64_t limit = desk.endless ? 1000 : std::int64_t(options_.limit_s) * 1000;
    const pid_t pid = processes_[std::size_t(i)].pid;
    if (overdue_[std::size_t(i)] || !is_overdue(desk, pid, limit)) return;
    overdue_[std::size_t(i)] = true;
    kill(pid, SIGKILL);
}

/// True when worker `i` has ended and was not started again.
bool Supervisor::reap(int i, bool again) {
    Process& p = processes_[std::size_t(i)];
    int status = 0;
    if (waitpid(p.pid, &status, WNOHANG) != p.pid) return false;
    read_findings(p);
    const Desk& desk = board_.desks[i];
    const std::string how = ending(status);
    if (!how.empty()) {
        const Outcome o = !overdue_[std::size_t(i)] ? Outcome::Crash : desk.endless ? Outcome::Endless : Outcome::Hang;
        ++board_.counts[desk.stage][int(o)];
        if (is_finding(o))
            found(Stage(desk.stage.load()), o, desk.call, ops_[desk.batch % ops_.size()],
                  str(desk.text, " => ", o == Outcome::Hang ? str("no end in ", options_.limit_s, " s") : how, " ",
                      telling_line(p.log)));
    }
    close(p.out);
    close(p.log);
    p.pid = -1;
    if (!again || how.empty()) return true;
    const std::uint64_t next = desk.call + 1;
    start(i, next % batch_size == 0 ? 0 : next);
    return false;
}

void Supervisor::totals() const {
    std::printf("%llu calls of %zu ops, seed %llu\n", static_cast<unsigned long long>(board_.calls), ops_.size(),
                static_cast<unsigned long long>(options_.seed));
    for (int s = 0; s < stages; ++s)
        for (int o = 0; o < outcomes; ++o)
            if (board_.counts[s][o])
                std::printf("  %-16s %-18s %9llu\n", name_of(Stage(s)), name_of(Outcome(o)),
                            static_cast<unsigned long long>(board_.counts[s][o]));
    std::printf("%llu findings\n", static_cast<unsigned long long>(findings_));
}

bool Supervisor::run() {
    const int jobs = options_.jobs > 0 ? options_.jobs : int(std::max(1u, std::thread::hardware_concurrency()));
    processes_.resize(std::size_t(std::min(jobs, Board::most_workers)));
    overdue_.resize(processes_.size());
    for (std::size_t i = 0; i < processes_.size(); ++i) start(int(i), 0);
    const std::int64_t end = milliseconds(CLOCK_MONOTONIC) + std::int64_t(options_.seconds * 1000);
    for (std::size_t running = processes_.size(); running > 0;) {
        usleep(5000);
        const bool over = milliseconds(CLOCK_MONOTONIC) >= end;
        if (over) board_.stop = true;
        for (std::size_t i = 0; i < processes_.size(); ++i) {
            if (processes_[i].pid < 0) continue;
            read_findings(processes_[i]);
            check_time(int(i));
            if (reap(int(i), !over)) --running;
        }
    }
    totals();
    return findings_ == 0;
}

} // namespace

bool supervise(const Options& options, const std::vector<std::string>& ops) { return Supervisor(options, ops).run(); }

bool rerun(const Options& options) {
    Board& board = shared_board();
    const pid_t pid = fork();
    REEL_CHECK(pid >= 0, "op-fuzz: no process: ", std::strerror(errno));
    if (pid == 0) {
        work_once(options, board.desks[0]);
        _exit(0);
    }
    const std::int64_t limit = std::int64_t(options.limit_s) * 1000;
    int status = 0;
    bool overdue = false;
    while (waitpid(pid, &status, WNOHANG) != pid) {
        usleep(5000);
        if (overdue || !is_overdue(board.desks[0], pid, limit)) continue;
        overdue = true;
        kill(pid, SIGKILL);
    }
    const std::string how = ending(status);
    if (!how.empty()) std::printf("%s\n", overdue ? str("no end in ", options.limit_s, " s").c_str() : how.c_str());
    return how.empty();
}

} // namespace op_fuzz
