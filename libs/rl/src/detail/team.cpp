#include "detail/team.hpp"

#include <atomic>
#include <string>
#include <thread>

#include <reel/autograd/detail/thread_limit.hpp>
#include <reel/autograd/error.hpp>
#include <reel/autograd/grad_mode.hpp>

namespace reel::rl::detail {

struct Team::State {
    explicit State(std::size_t size) : size(size) {}
    ~State() {
        work = nullptr;
        next_round();
        for (std::thread& t : threads) t.join();
    }
    const std::size_t size;
    std::vector<std::thread> threads;
    std::atomic<unsigned> round{0}; ///< goes up when there is work, and at the end
    std::atomic<unsigned> busy{0};  ///< threads that have not finished the round
    // Of the present round; written before `round` goes up.
    const std::function<void(std::size_t)>* work = nullptr;
    std::vector<std::exception_ptr>* errors = nullptr;
    bool grad = true;

    void share(std::size_t member) {
        const ThreadLimit one(1);
        const AutoGradMode mode(grad);
        for (std::size_t i = member; i < errors->size(); i += size) {
            try {
                (*work)(i);
            } catch (...) {
                (*errors)[i] = std::current_exception();
            }
        }
    }
    void live(std::size_t member) {
        for (unsigned seen = 0;; ++seen) {
            round.wait(seen, std::memory_order_acquire);
            if (!work) return;
            share(member);
            if (busy.fetch_sub(1, std::memory_order_acq_rel) == 1) busy.notify_one();
        }
    }
    void next_round() {
        round.fetch_add(1, std::memory_order_release);
        round.notify_all();
    }
};

Team::Team(std::size_t size) : state_(std::make_unique<State>(size)) {
    state_->threads.reserve(size - 1);
    for (std::size_t member = 1; member < size; ++member)
        state_->threads.emplace_back([state = state_.get(), member] { state->live(member); });
}
Team::~Team() = default;
std::size_t Team::size() const { return state_->size; }

std::vector<std::exception_ptr> Team::run(std::size_t count, const std::function<void(std::size_t)>& work) {
    State& s = *state_;
    std::vector<std::exception_ptr> errors(count);
    s.work = &work;
    s.errors = &errors;
    s.grad = GradMode::is_enabled();
    s.busy.store(unsigned(s.threads.size()), std::memory_order_relaxed);
    if (!s.threads.empty()) s.next_round();
    s.share(0);
    for (unsigned left; (left = s.busy.load(std::memory_order_acquire)) != 0;)
        s.busy.wait(left, std::memory_order_acquire);
    return errors;
}

void throw_first(const std::vector<std::exception_ptr>& errors, const char* whose) {
    for (std::size_t i = 0; i < errors.size(); ++i) {
        if (!errors[i]) continue;
        const std::string place = std::string(whose) + " environment " + std::to_string(i);
        try {
            std::rethrow_exception(errors[i]);
        } catch (Error& e) {
            e.add_context("in " + place);
            throw;
        } catch (const std::exception& e) {
            REEL_THROW(Error, place, ": ", e.what());
        } catch (...) {
            REEL_THROW(Error, place, ": something that is no std::exception was thrown");
        }
    }
}

} // namespace reel::rl::detail
