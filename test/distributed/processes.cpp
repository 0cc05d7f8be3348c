#include "distributed/processes.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <utility>

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace reel::testing {

namespace {
using Clock = std::chrono::steady_clock;

std::map<std::string, std::function<void()>>& bodies() {
    static std::map<std::string, std::function<void()>> all;
    return all;
}

int free_port() {
    const int s = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(s, reinterpret_cast<sockaddr*>(&address), size) ||
        ::getsockname(s, reinterpret_cast<sockaddr*>(&address), &size))
        throw std::runtime_error("no free port");
    ::close(s);
    return ntohs(address.sin_port);
}

struct Child {
    pid_t pid;
    int out;
};

Child start(const Variables& variables) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC)) throw std::runtime_error("no pipe");
    // all that allocates comes before the fork
    std::vector<std::string> words;
    for (char** e = environ; *e; ++e) {
        const std::string word = *e;
        if (!variables.contains(word.substr(0, word.find('=')))) words.push_back(word);
    }
    for (const auto& [name, value] : variables)
        if (!value.empty()) words.push_back(name + "=" + value);
    std::vector<char*> environment;
    for (std::string& w : words) environment.push_back(w.data());
    environment.push_back(nullptr);
    char program[] = "test_distributed";
    char* arguments[] = {program, nullptr};
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::dup2(ends[1], 1);
        ::execve("/proc/self/exe", arguments, environment.data());
        ::_exit(127);
    }
    ::close(ends[1]);
    return {pid, ends[0]};
}
} // namespace

ProcessBody::ProcessBody(const char* name, std::function<void()> body) { bodies()[name] = std::move(body); }

void become_process() {
    const char* name = std::getenv("REEL_TEST_BODY");
    if (!name) return;
    int status = 0;
    try {
        bodies().at(name)();
    } catch (const std::exception& e) {
        std::cout << e.what() << "\n";
        status = 1;
    }
    std::cout.flush();
    std::exit(status);
}

std::vector<Ended> run_processes(std::int64_t n, const std::string& body,
                                 const std::function<void(std::int64_t, Variables&)>& change) {
    const std::string port = std::to_string(free_port());
    const auto begin = Clock::now();
    std::vector<Child> children;
    for (std::int64_t r = 0; r < n; ++r) {
        Variables v = {
            {"REEL_TEST_BODY", body},           {"RANK", std::to_string(r)}, {"WORLD_SIZE", std::to_string(n)},
            {"MASTER_ADDR", "127.0.0.1"},       {"MASTER_PORT", port},       {"OMP_NUM_THREADS", "1"},
            {"BOOST_TEST_LOG_LEVEL", "nothing"}};
        if (change) change(r, v);
        children.push_back(start(v));
    }
    std::vector<Ended> ended(children.size());
    std::size_t open = children.size();
    while (open > 0) { // whoever closes its end has ended
        std::vector<pollfd> polled;
        for (const Child& c : children) polled.push_back({c.out, POLLIN, 0});
        if (::poll(polled.data(), polled.size(), 60'000) == 0) // a hang is a failure, not a hang of the test
            for (const Child& c : children) ::kill(c.pid, SIGKILL);
        for (std::size_t r = 0; r < children.size(); ++r) {
            if (!polled[r].revents) continue;
            char text[4096];
            const ssize_t got = ::read(children[r].out, text, sizeof text);
            if (got > 0) {
                ended[r].said.append(text, std::size_t(got));
                continue;
            }
            ::close(std::exchange(children[r].out, -1));
            int status = 0;
            ::waitpid(children[r].pid, &status, 0);
            ended[r].status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            ended[r].seconds = std::chrono::duration<double>(Clock::now() - begin).count();
            --open;
        }
    }
    return ended;
}

} // namespace reel::testing
