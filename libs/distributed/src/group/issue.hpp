// From a call of the interface to a call of a group.
#pragma once

#include <string>

#include <reel/distributed/process_group.hpp>
#include <reel/distributed/work.hpp>

#include "group/exchange.hpp"
#include "group/group.hpp"

namespace reel::distributed::detail {

/// The group that a call is for; null where this rank is no member of it and has nothing to do.
std::shared_ptr<Group> group_for(const ProcessGroup& handle, Operation operation);

/// What `build` makes of the arguments. When it refuses them, the other members are told, so that none waits.
template <class Build> Call checked(Group& group, Operation operation, const Build& build) {
    try {
        return build(group);
    } catch (const std::exception& e) {
        group.refuse(operation, std::current_exception(), e.what());
    }
}

template <class Build> void run(Operation operation, const ProcessGroup& handle, const Build& build) {
    if (const auto group = group_for(handle, operation)) group->run(checked(*group, operation, build));
}

template <class Build> Work start(Operation operation, const ProcessGroup& handle, const Build& build) {
    const auto group = group_for(handle, operation);
    return group ? group->start(checked(*group, operation, build)) : Work();
}

/// The envelope of a call whose parts look like `part`.
Envelope envelope_for(const Group& group, Operation operation, const Tensor& part);

} // namespace reel::distributed::detail
