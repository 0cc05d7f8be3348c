#include <reel/distributed/session.hpp>

#include <exception>

#include <reel/autograd/error.hpp>

#include "group/environment.hpp"
#include "group/open_world.hpp"
#include "group/world.hpp"

namespace reel::distributed {

void init(Backend backend, Options options) {
    detail::Context& here = detail::context();
    REEL_CHECK_VALUE(!here.world, "init: the default process group is there already (rank ", here.world->rank(), " of ",
                     here.world->size(), "); call finalize() before another init");
    REEL_CHECK_VALUE(options.timeout.count() > 0, "init: the timeout is ", options.timeout.count(),
                     " ms; expected more than 0");
    detail::enter(here, detail::open_world(backend, options), options);
}

bool is_initialized() noexcept { return detail::context().world != nullptr; }

namespace {
detail::World& world(const char* what) {
    const auto& here = detail::context().world;
    REEL_CHECK_VALUE(here, what, ": there is no default process group; call reel::distributed::init first");
    return *here;
}
} // namespace

void finalize() {
    world("finalize");
    detail::exit(detail::context(), "has called finalize()", false);
}

std::int64_t rank() { return world("rank").rank(); }
std::int64_t world_size() { return world("world_size").size(); }
ProcessGroup default_group() {
    world("default_group");
    return ProcessGroup(detail::context().group);
}

Session::Session(Backend backend, Options options) : exceptions_(std::uncaught_exceptions()) {
    init(backend, std::move(options));
}

Session::~Session() {
    if (!is_initialized()) return;
    const bool failed = std::uncaught_exceptions() > exceptions_;
    // the exception itself cannot be read while it is on its way
    detail::exit(detail::context(), failed ? "has left its Session with an exception" : "has left its Session", failed);
}

} // namespace reel::distributed
