#include <reel/distributed/process_group.hpp>

#include <reel/autograd/error.hpp>

#include "group/group.hpp"

namespace reel::distributed {

detail::Group& ProcessGroup::get() const {
    REEL_CHECK_VALUE(group_, "this process group is a null handle: the rank is no member of it, or it was never made");
    return *group_;
}

std::int64_t ProcessGroup::rank() const { return get().me(); }
std::int64_t ProcessGroup::size() const { return get().size(); }
const std::string& ProcessGroup::name() const { return get().name(); }
Backend ProcessGroup::backend() const {
    const detail::World& world = get().world();
    return world.devices() ? Backend::kNCCL : world.backend();
}
const std::vector<std::int64_t>& ProcessGroup::ranks() const { return get().ranks(); }
std::chrono::milliseconds ProcessGroup::timeout() const { return get().timeout(); }
void ProcessGroup::set_timeout(std::chrono::milliseconds timeout) const { get().set_timeout(timeout); }
void ProcessGroup::abort(const std::string& reason) const { get().abort(reason); }

ProcessGroup new_group(const std::vector<std::int64_t>& ranks, GroupOptions options) {
    const detail::Context& here = detail::context();
    REEL_CHECK_VALUE(here.world, "new_group: there is no default group; call reel::distributed::init first");
    auto made = here.world->add_group(ranks, options.name, options.timeout.value_or(here.group->timeout()));
    return made ? ProcessGroup(std::move(made)) : ProcessGroup::outside();
}

} // namespace reel::distributed
