#include "step_batch.hpp"

#include <utility>

namespace reel::optim::detail {

namespace {
StepBatch*& innermost() {
    static thread_local StepBatch* batch = nullptr;
    return batch;
}
} // namespace

StepBatch::StepBatch(Mode mode) : mode_(mode), before_(std::exchange(innermost(), this)) {}
StepBatch::~StepBatch() { end(); }
void StepBatch::end() {
    if (!std::exchange(ended_, true)) innermost() = before_;
}
StepBatch* StepBatch::current() { return innermost(); }

void StepBatch::flush() {
    params_.clear();
    std::vector<std::unique_ptr<Part>> parts = std::move(open_);
    open_.clear();
    for (auto& part : parts) {
        if (mode_ == Mode::steps) part->run();
        done_.push_back(std::move(part));
    }
}
void StepBatch::write_rules(const StepBatch& later) const {
    REEL_CHECK(later.done_.size() == done_.size(), "optimizer: the step is not the one that was captured: it has ",
               later.done_.size(), " kinds of parameters, the captured one has ", done_.size(), "; capture it again");
    for (std::size_t i = 0; i < done_.size(); ++i) done_[i]->write(*later.done_[i]);
}

} // namespace reel::optim::detail
