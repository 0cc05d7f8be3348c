// A thread that does one thing after the other, begun when the first thing comes.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace reel::distributed::detail {

class Lane {
public:
    Lane();
    ~Lane();
    Lane(const Lane&) = delete;
    /// Takes the lane for the calling thread when nothing is under way. Then `release`.
    bool claim();
    void release();
    /// Runs `task`, which throws nothing, behind those that were pushed before.
    void push(std::function<void()> task);
    /// Waits until nothing is under way.
    void drain();
    /// Drains, and ends the thread.
    void stop();

private:
    struct State;
    static void loop(const std::shared_ptr<State>& state);
    std::shared_ptr<State> state_; // the thread's own share: the lane may be let go by its own last task
    std::mutex starting_;
    std::thread thread_;
};

} // namespace reel::distributed::detail
