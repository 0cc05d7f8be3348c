// Telling the observer of a thread's launches, who is not told of what it does itself meanwhile.
#include <reel/autograd/detail/launch_observer.hpp>

#include "tensor/taken_calls.hpp"

namespace reel::detail {

bool op_calls_are_taken() { return ops::calls_are_taken(); }

void note_storage(const Storage& s, bool fresh) {
    const UnobservedScope scope;
    scope.observer->storage_made(s, fresh);
}
void note_generated(const Tensor& t) {
    const UnobservedScope scope;
    scope.observer->generated(t);
}
void note_host_works(const char* what) {
    const UnobservedScope scope;
    scope.observer->host_works(what);
}
void note_loop(const LoopLaunch& launch) {
    const UnobservedScope scope;
    scope.observer->loop(launch);
}

} // namespace reel::detail
