// The group that an object of several ranks works in.
#include "group/member_group.hpp"

#include <reel/autograd/error.hpp>
#include <reel/distributed/session.hpp>

namespace reel::distributed::detail {

ProcessGroup member_group(const char* who, const ProcessGroup& given) {
    REEL_CHECK_VALUE(!given.is_outside(), who,
                     ": this rank is no member of the group that it was given; make it on the group's members alone");
    REEL_CHECK_VALUE(given || is_initialized(), who,
                     ": there is no default process group; call reel::distributed::init first");
    return given ? given : default_group();
}

} // namespace reel::distributed::detail
