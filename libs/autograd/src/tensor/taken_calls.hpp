// Whether somebody takes calls of ops on this thread (reel/autograd/op_calls.hpp), for what lies below the ops.
#pragma once

#include <reel/autograd/op_calls.hpp>

namespace reel::ops {

/// The innermost scope of this thread; null where nobody takes calls.
extern constinit thread_local OpCallScope* call_scope;

inline bool calls_are_taken() { return call_scope != nullptr; }
/// The modes learn that a tensor becomes a number, the innermost first.
void tell_read(const Tensor& tensor);
/// What whoever takes calls gives for `tensor.detach()`.
Tensor take_detach(const Tensor& tensor);

/// While it lives, nobody takes calls of this thread, if `hidden`; else it does nothing. For calls of the tape, which
/// are no calls of a user's.
class NotTaken {
public:
    explicit NotTaken(bool hidden = true) : before_(call_scope) {
        if (hidden) call_scope = nullptr;
    }
    ~NotTaken() { call_scope = before_; }
    NotTaken(const NotTaken&) = delete;
    NotTaken& operator=(const NotTaken&) = delete;

private:
    OpCallScope* before_;
};

} // namespace reel::ops
