// An optimizer that may end before those who watch it.
#pragma once

#include <memory>

#include <reel/optim/optimizer.hpp>

namespace reel::inspect {

/// Points to an optimizer while it lives: a step hook that does nothing shares its life, and is found elsewhere after a
/// move as soon as it has stepped there.
class OptimizerWatch {
public:
    explicit OptimizerWatch(optim::Optimizer& optimizer) {
        const auto where = std::make_shared<optim::Optimizer*>(&optimizer);
        where_ = where;
        handle_ = optimizer.register_step_pre_hook([where](optim::Optimizer& now) { *where = &now; });
    }
    OptimizerWatch(OptimizerWatch&&) = default;
    ~OptimizerWatch() { handle_.remove(); }
    /// Null when it is gone.
    optim::Optimizer* get() const {
        const auto where = where_.lock();
        return where ? *where : nullptr;
    }

private:
    std::weak_ptr<optim::Optimizer*> where_;
    RemovableHandle handle_;
};

} // namespace reel::inspect
