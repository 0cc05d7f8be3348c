// One stack on which threads of a block run, one after the other, until one of them waits.
#pragma once

#include <functional>

#include <boost/context/fiber.hpp>

namespace reel::cuda::emulation {

class Fiber {
public:
    Fiber();
    Fiber(const Fiber&) = delete;

    /// Runs `work`, or goes on with it where it had left, until it leaves or ends. Called by the scheduler.
    void start(std::function<void()> work);
    void resume();
    /// Back to the scheduler. Called from inside.
    void leave();
    bool idle() const { return idle_; }
    /// Does the address lie on the stack of the thread that runs?
    static bool of_running(const void* p);

private:
    void enter();
    boost::context::fiber inside_, outside_; // whichever of the two does not run
    std::function<void()> work_;
    bool idle_ = true;
    // what the address sanitizer must be told of a change of stacks
    void* own_fake_stack_ = nullptr;
    const void* outer_stack_ = nullptr;
    std::size_t outer_size_ = 0;
    void* stack_ = nullptr;
    void entered();
};

} // namespace reel::cuda::emulation
