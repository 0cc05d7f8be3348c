#include "place.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace reel_run {

namespace {
const char* variable(const char* name) {
    const char* const value = std::getenv(name);
    return value && *value ? value : nullptr;
}
int number(const char* name) {
    const char* const text = variable(name);
    if (!text) throw std::runtime_error(std::string("the environment is set by half: ") + name + " is missing");
    char* end = nullptr;
    const long value = std::strtol(text, &end, 10);
    if (*end || value < 0 || value > 1 << 24)
        throw std::runtime_error(std::string(name) + " is '" + text + "'; expected a number");
    return int(value);
}
/// The same on all tasks of a job, and seldom the same for two jobs of one host.
int port_from(const std::string& job) {
    std::uint32_t hash = 2166136261u;
    for (const unsigned char c : job) hash = (hash ^ c) * 16777619u;
    return 20000 + int(hash % 20000);
}
/// `tcp://10.0.0.1,127.0.0.1:4242` somewhere in `uri` names the host that mpirun runs on.
std::string host_in(const std::string& uri) {
    const std::size_t begin = uri.find("://");
    if (begin == std::string::npos) return {};
    const std::size_t end = uri.find_first_of(",:;", begin + 3);
    return uri.substr(begin + 3, end == std::string::npos ? end : end - begin - 3);
}
void take_slurm(Place& p) {
    p.launcher = "Slurm";
    p.task = number("SLURM_PROCID");
    p.tasks = number("SLURM_NTASKS");
    const char* const nodes =
        variable("SLURM_STEP_NODELIST") ? variable("SLURM_STEP_NODELIST") : variable("SLURM_JOB_NODELIST");
    if (nodes) p.host = first_host(nodes);
    else if (p.tasks > 1)
        throw std::runtime_error("the environment is set by half: SLURM_JOB_NODELIST is missing; --master HOST says "
                                 "where rank 0 runs");
    p.port = port_from(std::string(variable("SLURM_JOB_ID") ? variable("SLURM_JOB_ID") : "") + "." +
                       (variable("SLURM_STEP_ID") ? variable("SLURM_STEP_ID") : ""));
}
void take_openmpi(Place& p) {
    p.launcher = "OpenMPI";
    p.task = number("OMPI_COMM_WORLD_RANK");
    p.tasks = number("OMPI_COMM_WORLD_SIZE");
    const bool one_host = variable("OMPI_COMM_WORLD_LOCAL_SIZE") && number("OMPI_COMM_WORLD_LOCAL_SIZE") == p.tasks;
    std::string job;
    for (const char* const name :
         {"OMPI_MCA_orte_hnp_uri", "PMIX_SERVER_URI2", "PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"})
        if (const char* const value = variable(name)) {
            if (job.empty()) job = value;
            if (!one_host && p.host == "127.0.0.1" && !host_in(value).empty()) p.host = host_in(value);
        }
    if (const char* const name = variable("PMIX_NAMESPACE")) job = name; // the same on every host
    p.port = port_from(job);
}
} // namespace

std::string first_host(const std::string& list) {
    const std::size_t end = list.find_first_of(",[");
    if (end == std::string::npos || list[end] == ',') return list.substr(0, end);
    return list.substr(0, end) + list.substr(end + 1, list.find_first_of(",-]", end) - end - 1);
}

Place find_place(const Options& options) {
    Place p;
    if (variable("SLURM_PROCID") && variable("SLURM_NTASKS")) take_slurm(p);
    else if (variable("OMPI_COMM_WORLD_RANK") || variable("OMPI_COMM_WORLD_SIZE")) take_openmpi(p);
    if (!options.master.empty()) {
        const std::size_t colon = options.master.rfind(':');
        p.host = options.master.substr(0, colon);
        if (colon != std::string::npos) p.port = std::atoi(options.master.c_str() + colon + 1);
        if (p.host.empty() || (colon != std::string::npos && (p.port < 1 || p.port > 65535)))
            throw std::runtime_error("--master " + options.master + ": expected HOST or HOST:PORT");
    }
    if (p.task >= p.tasks)
        throw std::runtime_error(p.launcher + "'s environment says task " + std::to_string(p.task) + " of " +
                                 std::to_string(p.tasks));
    return p;
}

int port_of(const Place& place, int attempt) {
    if (place.port > 0) return 1024 + (place.port - 1024 + attempt) % (65536 - 1024);
    const int s = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    const bool bound = s >= 0 && ::bind(s, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                       ::getsockname(s, reinterpret_cast<sockaddr*>(&address), &size) == 0;
    const int error = errno;
    if (s >= 0) ::close(s);
    if (!bound) throw std::runtime_error(std::string("there is no free port: ") + std::strerror(error));
    return ntohs(address.sin_port);
}

} // namespace reel_run
