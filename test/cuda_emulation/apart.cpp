#include "cuda_emulation/apart.hpp"

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

namespace apart {

End run(const char* modes, const std::function<void()>& program) {
    int ends[2];
    if (::pipe(ends) != 0) return {-1, "no pipe"};
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(ends[1], STDERR_FILENO);
        ::close(ends[0]);
        ::signal(SIGSEGV, SIG_DFL); // the test framework's is not this program's
        reel::cuda::emulation::modes() = reel::cuda::emulation::parse_modes(modes);
        program();
        ::_exit(0);
    }
    ::close(ends[1]);
    End end;
    char part[4096];
    for (ssize_t n = 0; (n = ::read(ends[0], part, sizeof(part))) > 0;) end.text.append(part, std::size_t(n));
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    end.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    return end;
}

} // namespace apart
