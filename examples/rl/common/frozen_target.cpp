#include "frozen_target.hpp"

#include <reel/autograd/ops.hpp>

namespace agents {

using namespace reel;

FrozenTarget::FrozenTarget(rl::LossModule& loss, nn::ModulePtr target, optim::Optimizer& optimizer)
    : target_(std::move(target)), updater_(loss, 1), optimizer_(&optimizer) {}

void FrozenTarget::freeze() {
    inspect::FreezeOptions options;
    options.optimizers = {optimizer_};
    guard_.emplace(inspect::freeze(*target_, options));
}
void FrozenTarget::refresh() {
    const inspect::FreezeReport found = guard_->verify();
    ++counts_[0];
    counts_[1] += std::int64_t(found.bytes);
    counts_[2] += std::int64_t(found.differences.size());
    counts_[3] += std::int64_t(found.attempts.size());
    guard_.reset();
    updater_.step();
    freeze();
}
std::string FrozenTarget::refusal() const {
    try {
        target_->parameters().front().add_(1);
    } catch (const inspect::PinnedError& e) {
        return e.msg();
    }
    REEL_THROW(Error, "the frozen target network let a write through");
}
void FrozenTarget::set_counts(std::vector<std::int64_t> counts) {
    REEL_CHECK_VALUE(counts.size() == 4, "FrozenTarget: expected four figures, got ", counts.size());
    counts_ = std::move(counts);
}

} // namespace agents
