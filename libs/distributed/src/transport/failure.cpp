#include <reel/distributed/detail/mailbox.hpp>

#include <reel/autograd/error.hpp>

namespace reel::distributed::detail {

namespace {
/// Tells `spawn` which of several errors came first.
class RemoteError final : public DistError {
public:
    using DistError::DistError;
};
} // namespace

void raise(const Failure& failure) {
    if (failure.refused) throw ValueError(failure.reason);
    if (failure.remote) throw RemoteError(failure.reason);
    throw DistError(failure.reason);
}

std::exception_ptr exception_of(const Failure& failure) {
    try {
        raise(failure);
    } catch (...) {
        return std::current_exception();
    }
}

bool follows_from_another(const std::exception& e) noexcept { return dynamic_cast<const RemoteError*>(&e) != nullptr; }

} // namespace reel::distributed::detail
