#include "group/open_world.hpp"

#include <cstdlib>
#include <map>
#include <mutex>
#include <numeric>

#include <reel/autograd/error.hpp>

#include "group/environment.hpp"
#include "group/group.hpp"
#include "transport/backend_library.hpp"
#include "transport/sockets_transport.hpp"
#include "transport/threads_transport.hpp"

namespace reel::distributed::detail {

namespace {
/// What libraries have brought, by backend.
template <class F> struct Brought {
    std::mutex mutex;
    std::map<Backend, F> by_backend;
    static Brought& all() {
        static Brought one;
        return one;
    }
    void add(Backend backend, F f) {
        const std::lock_guard lock(mutex);
        by_backend[backend] = std::move(f);
    }
    F find(Backend backend) {
        const std::lock_guard lock(mutex);
        const auto i = by_backend.find(backend);
        return i == by_backend.end() ? F() : i->second;
    }
};

Backend chosen(Backend backend, const Options& options) {
    if (backend != Backend::kAuto) return backend;
    if (place_in_world(options)) return Backend::kSockets;
    if (under_mpi()) return Backend::kMPI;
    check_not_alone_in_a_crowd();
    return Backend::kThreads;
}
} // namespace

void register_transport(Backend backend, Join join) { Brought<Join>::all().add(backend, std::move(join)); }
Join registered_transport(Backend backend) { return Brought<Join>::all().find(backend); }
void register_devices(Backend backend, OpenDevices open) { Brought<OpenDevices>::all().add(backend, std::move(open)); }
OpenDevices registered_devices(Backend backend) { return Brought<OpenDevices>::all().find(backend); }

OpenDevices open_devices(Backend backend) {
    if (backend == Backend::kAuto) return {};
    REEL_CHECK_VALUE(backend == Backend::kNCCL, "init: devices is ", name_of(backend),
                     "; expected nccl, or auto, by which their tensors go by way of the host's memory");
    load_library_of(backend);
    OpenDevices open = registered_devices(backend);
    REEL_CHECK_VALUE(open, "init: backend nccl is a library of its own, libreel_nccl.so, which was not found; link it, "
                           "or choose sockets, which sends what lives on devices by way of the host's memory");
    return open;
}

std::shared_ptr<World> open_world(Backend backend, const Options& options) {
    if (backend == Backend::kNCCL) { // which needs messages, too: those that there are
        Options with = options;
        with.devices = backend;
        return open_world(Backend::kAuto, with);
    }
    backend = chosen(backend, options);
    OpenDevices devices = open_devices(options.devices);
    if (backend == Backend::kThreads) // outside of `spawn` there is one
        return std::make_shared<World>(std::move(threads_world(1).front()), backend, std::move(devices));
    if (backend == Backend::kSockets) {
        const auto place = place_in_world(options);
        REEL_CHECK_VALUE(place, "init: backend sockets needs RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, in the "
                                "environment or in Options");
        return std::make_shared<World>(join_sockets(*place, options), backend, std::move(devices));
    }
    load_library_of(backend);
    const Join join = registered_transport(backend);
    REEL_CHECK_VALUE(join, "init: backend ", name_of(backend), " is a library of its own, libreel_", name_of(backend),
                     ".so, which was not found; link it, or choose sockets, which needs nothing");
    return std::make_shared<World>(join(options), backend, std::move(devices));
}

void enter(Context& here, std::shared_ptr<World> world, const Options& options) {
    std::vector<std::int64_t> all(std::size_t(world->size()));
    std::iota(all.begin(), all.end(), 0);
    here.group = world->add_group(all, "default", options.timeout);
    here.world = std::move(world);
    if (&here != &context_of_process()) return;
    // before the libraries end, and with word to the others
    static const bool once = std::atexit([] {
                                 if (context_of_process().world)
                                     exit(context_of_process(), "has ended without finalize()", true);
                             }) == 0;
    static_cast<void>(once);
}

void exit(Context& here, const std::string& reason, bool failed) {
    const std::shared_ptr<World> world = std::move(here.world);
    here = {};
    world->leave(reason, failed);
}

} // namespace reel::distributed::detail
