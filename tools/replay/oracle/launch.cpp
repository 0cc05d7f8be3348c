// Ranks as processes of this machine.
#include "oracle/launch.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace replay {

using reel::distributed::Backend;

int free_port() {
    const int s = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    const bool ok = s >= 0 && ::bind(s, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                    ::getsockname(s, reinterpret_cast<sockaddr*>(&address), &size) == 0;
    if (s >= 0) ::close(s);
    if (!ok) throw std::runtime_error("no free port");
    return ntohs(address.sin_port);
}

namespace {
/// The exit status of the worst.
int wait_for(const std::vector<pid_t>& children) {
    int worst = 0;
    for (const pid_t child : children) {
        int status = 0;
        ::waitpid(child, &status, 0);
        worst = std::max(worst, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    }
    return worst;
}
} // namespace

std::optional<int> launch(std::int64_t ranks, Backend backend, char** argv) {
    const bool under_mpi = std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr;
    if (backend == Backend::kMPI && !under_mpi) {
        std::vector<std::string> words{"mpirun", "--oversubscribe", "-n", std::to_string(ranks), "/proc/self/exe"};
        if (::geteuid() == 0) words.insert(words.begin() + 1, "--allow-run-as-root");
        char self[4096] = {};
        if (::readlink("/proc/self/exe", self, sizeof self - 1) > 0) words.back() = self;
        for (char** a = argv + 1; *a; ++a) words.emplace_back(*a);
        std::vector<char*> arguments;
        for (std::string& w : words) arguments.push_back(w.data());
        arguments.push_back(nullptr);
        ::execvp("mpirun", arguments.data());
        throw std::runtime_error("--backend mpi: there is no mpirun");
    }
    if (backend != Backend::kSockets || std::getenv("RANK")) return std::nullopt;
    const std::string port = std::to_string(free_port());
    std::vector<pid_t> children;
    for (std::int64_t r = 0; r < ranks; ++r) {
        const pid_t child = ::fork();
        if (child != 0) {
            children.push_back(child);
            continue;
        }
        ::setenv("RANK", std::to_string(r).c_str(), 1);
        ::setenv("WORLD_SIZE", std::to_string(ranks).c_str(), 1);
        ::setenv("MASTER_ADDR", "127.0.0.1", 1);
        ::setenv("MASTER_PORT", port.c_str(), 1);
        ::execv("/proc/self/exe", argv);
        ::_exit(127);
    }
    return wait_for(children);
}

} // namespace replay
