// Calls of the tape, which are no calls of a user's.
#pragma once

#include "op/take.hpp"

namespace reel::ops {

/// While it lives, nobody takes calls of this thread; if `hidden`, else it does nothing.
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
