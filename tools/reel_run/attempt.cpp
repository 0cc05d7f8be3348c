#include "attempt.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace reel_run {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

namespace {
std::atomic<int> noted_signal{0};
void note(int signal) { noted_signal = signal; }

/// In the child: never returns.
[[noreturn]] void become(const std::vector<std::string>& command, const std::string& log, int failed) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL); // nothing outlives a reel-run that is killed
    if (::getppid() == 1) ::_exit(126);
    for (const int s : {SIGINT, SIGTERM, SIGHUP}) ::signal(s, SIG_DFL);
    if (!log.empty()) {
        const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
        if (out >= 0) ::dup2(out, 1), ::dup2(out, 2);
    }
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    ::execvp(words[0], words.data());
    const int error = errno;
    [[maybe_unused]] const ssize_t n = ::write(failed, &error, sizeof error);
    ::_exit(127);
}
} // namespace

void note_signals() {
    struct sigaction action {};
    action.sa_handler = note;
    for (const int s : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(s, &action, nullptr);
}

Attempt::Attempt(const Options& options, const Place& place, int ranks, int number)
    : options_(options), place_(place), ranks_(ranks) {
    const int port = port_of(place, number);
    try {
        for (int i = 0; i < ranks; ++i) children_.push_back({start(i, port, number), place.task * ranks + i});
    } catch (...) {
        signal_all(SIGKILL);
        throw;
    }
}
Attempt::~Attempt() {
    signal_all(SIGKILL);
    for (Child& c : children_)
        if (c.running) ::waitpid(c.pid, nullptr, 0);
}

pid_t Attempt::start(int local_rank, int port, int number) {
    const int rank = place_.task * ranks_ + local_rank;
    const auto set = [](const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); };
    set("RANK", std::to_string(rank));
    set("WORLD_SIZE", std::to_string(place_.tasks * ranks_));
    set("LOCAL_RANK", std::to_string(local_rank));
    set("LOCAL_WORLD_SIZE", std::to_string(ranks_));
    set("MASTER_ADDR", place_.host);
    set("MASTER_PORT", std::to_string(port));
    set("REEL_RESTART", std::to_string(number));
    const std::string log =
        options_.log_folder.empty() ? "" : options_.log_folder + "/rank" + std::to_string(rank) + ".log";
    int failed[2];
    if (::pipe2(failed, O_CLOEXEC) != 0) throw std::runtime_error(std::string("pipe: ") + std::strerror(errno));
    const pid_t pid = ::fork();
    if (pid == 0) become(options_.command, log, failed[1]);
    ::close(failed[1]);
    int error = pid < 0 ? errno : 0;
    if (pid > 0 && ::read(failed[0], &error, sizeof error) > 0) ::waitpid(pid, nullptr, 0);
    ::close(failed[0]);
    if (error != 0) throw std::runtime_error("cannot start '" + options_.command[0] + "': " + std::strerror(error));
    return pid;
}

bool Attempt::any_runs() const {
    return std::any_of(children_.begin(), children_.end(), [](const Child& c) { return c.running; });
}
void Attempt::signal_all(int signal) {
    for (Child& c : children_)
        if (c.running) {
            if (::kill(-c.pid, signal) != 0) ::kill(c.pid, signal); // it has no group of its own yet
            c.ended_by_us = true;
        }
}
void Attempt::collect(milliseconds limit) {
    const auto end = Clock::now() + limit;
    do {
        for (std::size_t i = 0; i < children_.size(); ++i) {
            Child& c = children_[i];
            if (!c.running || ::waitpid(c.pid, &c.status, WNOHANG) != c.pid) continue;
            c.running = false;
            if (c.status != 0 && !c.ended_by_us) died_.push_back(int(i));
        }
        if (!any_runs() || noted_signal != 0) return;
        std::this_thread::sleep_for(milliseconds(5));
    } while (Clock::now() < end);
}
void Attempt::end_others() {
    collect(milliseconds(500)); // they notice by themselves, and say what they saw
    signal_all(SIGTERM);
    const auto end = Clock::now() + options_.grace;
    while (any_runs() && Clock::now() < end) collect(milliseconds(20));
    signal_all(SIGKILL);
    while (any_runs()) {
        collect(milliseconds(20));
        std::this_thread::sleep_for(milliseconds(1));
    }
}

Outcome Attempt::wait() {
    while (any_runs() && died_.empty() && noted_signal == 0) collect(milliseconds(100));
    Outcome outcome;
    outcome.interrupted_by = noted_signal;
    if (outcome.interrupted_by != 0) {
        signal_all(outcome.interrupted_by);
        noted_signal = 0;
        end_others();
        return outcome;
    }
    if (died_.empty()) {
        outcome.all_well = true;
        return outcome;
    }
    end_others();
    // Who was killed is the cause; who fails may do so because of it.
    auto cause =
        std::find_if(died_.begin(), died_.end(), [&](int i) { return WIFSIGNALED(children_[std::size_t(i)].status); });
    outcome.lost = int(std::count_if(died_.begin(), died_.end(),
                                     [&](int i) { return WIFSIGNALED(children_[std::size_t(i)].status); }));
    if (cause == died_.end()) cause = died_.begin(), outcome.lost = 1;
    const Child& c = children_[std::size_t(*cause)];
    outcome.what = "rank " + std::to_string(c.rank);
    if (WIFSIGNALED(c.status)) {
        outcome.status = 128 + WTERMSIG(c.status);
        outcome.what += " was killed by signal " + std::to_string(WTERMSIG(c.status)) + " (" +
                        ::strsignal(WTERMSIG(c.status)) + ")";
    } else {
        outcome.status = WEXITSTATUS(c.status);
        outcome.what += " ended with status " + std::to_string(outcome.status);
    }
    return outcome;
}

} // namespace reel_run
