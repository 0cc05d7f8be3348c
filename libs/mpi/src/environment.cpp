#include "environment.hpp"

#include <atomic>
#include <cstdlib>

#include <boost/mpi/environment.hpp>

#include <reel/autograd/error.hpp>
#include <reel/mpi.hpp>

namespace reel::mpi {

namespace {
std::atomic<bool> given_up = false;
bool begun_here = false;

void end() {
    const std::lock_guard lock(turn());
    if (begun_here && !given_up && !boost::mpi::environment::finalized()) MPI_Finalize();
}
} // namespace

std::mutex& turn() {
    static std::mutex one;
    return one;
}

void give_up() noexcept { given_up = true; }

boost::mpi::communicator world() {
    const std::lock_guard lock(turn());
    REEL_CHECK_VALUE(!boost::mpi::environment::finalized(), "init: MPI has been finalized, and cannot be begun again");
    if (!boost::mpi::environment::initialized()) {
        int provided = 0;
        MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
        REEL_CHECK_VALUE(provided >= MPI_THREAD_SERIALIZED, "init: this MPI takes calls of the main thread alone");
        begun_here = true;
        std::atexit(end);
    }
    const boost::mpi::communicator all;
    MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN);
    return all;
}

std::string version() {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int length = 0;
    MPI_Get_library_version(text, &length);
    return {text, std::size_t(length)};
}

} // namespace reel::mpi
