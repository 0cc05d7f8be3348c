#include "group/issue.hpp"

#include <mutex>

#include <reel/autograd/error.hpp>

namespace reel::distributed::detail {

std::shared_ptr<Group> group_for(const ProcessGroup& handle, Operation operation) {
    const std::string what(name_of(operation));
    if (handle.is_outside()) {
        static std::once_flag warned;
        std::call_once(
            warned, [&] { REEL_WARN(what, ": this rank is no member of the group, so the call does nothing here"); });
        return nullptr;
    }
    std::shared_ptr<Group> group = handle ? handle.share() : context().group;
    REEL_CHECK_VALUE(group, what, ": there is no default process group; call reel::distributed::init first");
    group->check_open(what.c_str());
    return group;
}

Envelope envelope_for(const Group& group, Operation operation, const Tensor& part) {
    Envelope e = group.envelope(operation);
    e.dtype = part.scalar_type();
    e.set_shape(part.sizes());
    return e;
}

} // namespace reel::distributed::detail
