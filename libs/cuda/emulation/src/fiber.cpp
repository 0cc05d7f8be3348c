#include "fiber.hpp"

#include <cstdlib>
#include <memory>
#include <utility>

#if defined(REEL_SANITIZE) && defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#define REEL_SWITCHES(...) __VA_ARGS__
#else
#define REEL_SWITCHES(...)
#endif

namespace reel::cuda::emulation {

namespace {
constexpr std::size_t stack_bytes = 128 * 1024;
/// Memory of our own, so that its bounds are known to whoever has to tell the sanitizer.
struct OwnStack {
    void* memory;
    boost::context::stack_context allocate() {
        boost::context::stack_context c;
        c.size = stack_bytes;
        c.sp = static_cast<char*>(memory) + stack_bytes;
        return c;
    }
    void deallocate(boost::context::stack_context&) {}
};
} // namespace

Fiber::Fiber() : stack_(std::aligned_alloc(64, stack_bytes)) {
    inside_ = boost::context::fiber(std::allocator_arg, OwnStack{stack_}, [this](boost::context::fiber&& scheduler) {
        outside_ = std::move(scheduler);
        entered();
        for (;;) {
            work_();
            idle_ = true;
            leave();
        }
        return std::move(outside_);
    });
}

void Fiber::start(std::function<void()> work) {
    work_ = std::move(work);
    idle_ = false;
    enter();
}
void Fiber::resume() { enter(); }

namespace {
thread_local const void* running_stack = nullptr;
}
bool Fiber::of_running(const void* p) {
    const auto* const begin = static_cast<const char*>(running_stack);
    return begin && p >= begin && p < begin + stack_bytes;
}

void Fiber::enter() {
    running_stack = stack_;
    REEL_SWITCHES(void* fake = nullptr; __sanitizer_start_switch_fiber(&fake, stack_, stack_bytes);)
    inside_ = std::move(inside_).resume();
    REEL_SWITCHES(__sanitizer_finish_switch_fiber(fake, nullptr, nullptr);)
}
void Fiber::entered() { REEL_SWITCHES(__sanitizer_finish_switch_fiber(own_fake_stack_, &outer_stack_, &outer_size_);) }
void Fiber::leave() {
    REEL_SWITCHES(__sanitizer_start_switch_fiber(&own_fake_stack_, outer_stack_, outer_size_);)
    outside_ = std::move(outside_).resume();
    entered();
}

} // namespace reel::cuda::emulation
