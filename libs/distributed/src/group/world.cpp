#include "group/world.hpp"

#include <algorithm>

#include <reel/autograd/error.hpp>

#include "group/group.hpp"

namespace reel::distributed::detail {

World::World(std::unique_ptr<Transport> transport, Backend backend, OpenDevices devices)
    : transport_(std::move(transport)), backend_(backend), devices_(std::move(devices)) {}

World::~World() { leave("has ended without finalize()", false); }

std::shared_ptr<Group> World::add_group(const std::vector<std::int64_t>& ranks, const std::string& name,
                                        std::chrono::milliseconds timeout) {
    REEL_CHECK_VALUE(!ranks.empty(), "new_group: no ranks; a group has one at least");
    for (auto i = ranks.begin(); i != ranks.end(); ++i) {
        REEL_CHECK_VALUE(*i >= 0 && *i < size(), "new_group: rank ", *i, " is none of the world's 0 to ", size() - 1);
        REEL_CHECK_VALUE(std::find(ranks.begin(), i, *i) == i, "new_group: rank ", *i, " is listed twice");
    }
    const std::lock_guard lock(mutex_);
    const std::int64_t id = made_++;
    if (std::find(ranks.begin(), ranks.end(), rank()) == ranks.end()) return nullptr;
    const std::string called = !name.empty() ? name : id == 0 ? "default" : str("group ", id);
    auto group = std::make_shared<Group>(shared_from_this(), id, ranks, called, timeout);
    std::erase_if(groups_, [](const auto& g) { return g.expired(); });
    groups_.push_back(group);
    return group;
}

void World::leave(const std::string& reason, bool failed) {
    std::vector<std::shared_ptr<Group>> open;
    {
        const std::lock_guard lock(mutex_);
        if (left_) return;
        left_ = true;
        for (const auto& g : groups_)
            if (auto group = g.lock()) open.push_back(std::move(group));
    }
    if (failed)
        for (const auto& group : open) mailbox().fail(group->id(), {str("this rank ", reason)});
    for (const auto& group : open) group->close();
    transport_->leave(reason, !failed);
}

namespace {
thread_local Context* of_thread = nullptr;
} // namespace

Context& context_of_process() {
    static Context of_process;
    return of_process;
}

Context& context() { return of_thread ? *of_thread : context_of_process(); }

ContextOfThread::ContextOfThread(Context& own) : previous_(std::exchange(of_thread, &own)) {}
ContextOfThread::~ContextOfThread() { of_thread = previous_; }

} // namespace reel::distributed::detail
