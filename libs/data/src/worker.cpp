// Worker threads: their errors and what they know about themselves.
#include <reel/data/detail/batch_scope.hpp>
#include <reel/data/worker_exception.hpp>
#include <reel/data/worker_info.hpp>

#include <reel/autograd/random.hpp>

namespace reel::data {

namespace {
std::string message_of(const std::exception_ptr& original) {
    std::string message = "Caught exception in DataLoader worker thread.";
    try {
        std::rethrow_exception(original);
    } catch (const std::exception& e) {
        message.append(" Original message: ").append(e.what());
    } catch (...) { // nothing can be said about it
    }
    return message;
}

/// A step of SplitMix64.
std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
    std::uint64_t z = a + (b + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
thread_local detail::BatchScope* current_scope = nullptr;
} // namespace

WorkerException::WorkerException(std::exception_ptr original)
    : Error(message_of(original)), original_exception(std::move(original)), message(msg()) {}
WorkerException::~WorkerException() = default;

const WorkerInfo* get_worker_info() {
    return current_scope && current_scope->info_.num_workers > 0 ? &current_scope->info_ : nullptr;
}
Generator batch_generator() {
    if (!current_scope) return reel::detail::getDefaultCPUGenerator();
    Generator& g = current_scope->generator_;
    if (!g.defined()) g = reel::detail::createCPUGenerator(current_scope->info_.seed);
    return g;
}

namespace detail {
std::uint64_t pass_seed(std::uint64_t pass_number) {
    const Generator& generator = reel::detail::getDefaultCPUGenerator();
    const std::lock_guard lock(generator.mutex()); // other threads may draw
    return mixed(generator.clone().impl().random64(), pass_number);
}
std::uint64_t batch_seed(std::uint64_t pass_seed, std::uint64_t batch_number) { return mixed(pass_seed, batch_number); }

BatchScope::BatchScope(std::size_t id, std::size_t num_workers, std::uint64_t seed)
    : info_{id, num_workers, seed}, outer_(current_scope) {
    current_scope = this;
}
BatchScope::~BatchScope() { current_scope = outer_; }
} // namespace detail

} // namespace reel::data
