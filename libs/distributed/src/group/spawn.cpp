#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>

#include <reel/autograd/detail/thread_limit.hpp>
#include <reel/autograd/error.hpp>
#include <reel/autograd/generator_scope.hpp>
#include <reel/autograd/parallel.hpp>
#include <reel/autograd/random.hpp>

#include "group/open_world.hpp"
#include "transport/threads_transport.hpp"

namespace reel::distributed {

namespace {
/// The error that `spawn` throws: the first that is no other rank's in disguise.
class FirstError {
public:
    void note(bool follows) {
        const std::lock_guard lock(mutex_);
        if (error_ && (follows || !follows_)) return;
        error_ = std::current_exception();
        follows_ = follows;
    }
    void rethrow() const {
        if (error_) std::rethrow_exception(error_);
    }

private:
    std::mutex mutex_;
    std::exception_ptr error_;
    bool follows_ = false;
};

void run_rank(std::unique_ptr<detail::Transport> transport, const std::function<void(std::int64_t)>& body,
              const Options& options, const detail::OpenDevices& devices, FirstError& first) {
    const std::int64_t rank = transport->rank();
    detail::Context own;
    const detail::ContextOfThread here(own);
    detail::enter(own, std::make_shared<detail::World>(std::move(transport), Backend::kThreads, devices), options);
    std::string reason = "has ended";
    bool failed = true;
    try {
        body(rank);
        failed = false;
    } catch (const std::exception& e) {
        first.note(detail::follows_from_another(e));
        reason = str("has failed: ", e.what());
    } catch (...) {
        first.note(false);
        reason = "has failed with an exception of a foreign type";
    }
    if (own.world) detail::exit(own, reason, failed);
}
} // namespace

void spawn(std::int64_t n, const std::function<void(std::int64_t)>& body, Options options) {
    REEL_CHECK_VALUE(n > 0, "spawn: ", n, " ranks; expected 1 at least");
    const detail::OpenDevices devices = detail::open_devices(options.devices);
    auto world = detail::threads_world(n);
    const int cores = std::max(1, get_num_threads() / int(n));
    FirstError first;
    std::vector<std::thread> threads;
    const Tensor drawn = get_rng_state(); // where this thread's default generator stands
    for (auto& transport : world)
        threads.emplace_back([&, transport = std::move(transport)]() mutable {
            const reel::ThreadLimit share(cores); // the ranks share the cores
            Generator own = reel::detail::createCPUGenerator();
            own.set_state(drawn);
            const GeneratorScope draws(own);
            run_rank(std::move(transport), body, options, devices, first);
        });
    for (std::thread& t : threads) t.join();
    first.rethrow();
}

} // namespace reel::distributed
