#include "streams.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <random>
#include <vector>

#include <reel/cuda/emulation/modes.hpp>

#include "capture.hpp"
#include "memory.hpp"
#include "runtime.hpp"

namespace reel::cuda::emulation {

namespace {

struct Streams {
    std::vector<std::unique_ptr<Stream>> all; // never taken away: a task may still wait in one that is destroyed
    std::map<int, Stream*> defaults;
    std::uint64_t tasks = 0;
    std::mt19937_64 dice{modes().seed};
};
Streams& streams() {
    static auto& one = *new Streams();
    return one;
}

void run_front(Stream& s);

/// What the default stream and those that block owe each other.
void run_before(Stream& s, std::uint64_t number) {
    const auto catch_up = [&](Stream& other) {
        while (!other.queue.empty() && other.queue.front().number < number) run_front(other);
    };
    if (s.legacy) {
        for (const auto& other : streams().all)
            if (other->device == s.device && other->blocking) catch_up(*other);
    } else if (s.blocking) catch_up(default_stream(s.device));
}

void run_front(Stream& s) {
    const std::uint64_t number = s.queue.front().number;
    run_before(s, number);
    // what was caught up may have waited for this one
    if (s.queue.empty() || s.queue.front().number != number) return;
    if (const auto until = s.queue.front().until) {
        while (!until->reached) run_front(*until->stream);
        if (s.queue.empty() || s.queue.front().number != number) return;
    }
    Task task = std::move(s.queue.front());
    s.queue.pop_front();
    if (task.run) task.run();
}

/// Some tasks of some streams, as the seed has it.
void run_some() {
    const WorksInARow together;
    auto& all = streams();
    for (int i = int(all.dice() % 3); i > 0; --i) {
        Stream& s = *all.all[all.dice() % all.all.size()];
        if (!s.queue.empty()) run_front(s);
    }
}

void push(Stream& s, Task task) {
    task.number = ++streams().tasks;
    s.queue.push_back(std::move(task));
    if (modes().timing == Timing::eager) drain(s);
    if (modes().timing == Timing::random) run_some();
}

} // namespace

std::recursive_mutex& runtime_lock() {
    static auto& one = *new std::recursive_mutex();
    return one;
}

Stream* make_stream(int device, bool blocking) {
    auto& s = *streams().all.emplace_back(std::make_unique<Stream>());
    s.device = device;
    s.blocking = blocking;
    return &s;
}
Stream& default_stream(int device) {
    Stream*& s = streams().defaults[device];
    if (!s) {
        s = make_stream(device, false);
        s->legacy = true;
    }
    return *s;
}
Stream* stream_of(cudaStream_t handle) {
    if (!handle || handle == cudaStreamLegacy || handle == cudaStreamPerThread)
        return &default_stream(current_device());
    for (const auto& s : streams().all)
        if (reinterpret_cast<cudaStream_t>(s.get()) == handle) return s->alive ? s.get() : nullptr;
    return nullptr;
}

void enqueue(Stream& s, std::function<void()> run) {
    if (s.capture) s.capture->add(s, std::move(run));
    else push(s, {std::move(run), nullptr, 0});
}
void enqueue_wait(Stream& s, const Event& event) {
    if (event.mark->capture) event.mark->capture->wait(s, *event.mark);
    else push(s, {nullptr, event.mark, 0});
}
void enqueue_record(Stream& s, Event& event) {
    event.mark = std::make_shared<Mark>();
    event.mark->stream = &s;
    if (s.capture) return s.capture->mark(s, *event.mark);
    push(s, {[mark = event.mark] {
                 using namespace std::chrono;
                 mark->reached = true;
                 mark->milliseconds = duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
             },
             nullptr, 0});
}

bool is_capturing(int device) {
    for (const auto& s : streams().all)
        if (s->device == device && s->capture) return true;
    return false;
}
void drain(Stream& s) {
    const WorksInARow together;
    while (!s.queue.empty()) run_front(s);
}
void drain_device(int device) {
    const WorksInARow together;
    // the last made first: whoever relies on the order of creation is found
    for (std::size_t i = streams().all.size(); i-- > 0;)
        if (streams().all[i]->device == device) drain(*streams().all[i]);
}
void advance(Stream& s) {
    const WorksInARow together;
    if (!s.queue.empty()) run_front(s);
}
void drain_until(const Mark& mark) {
    const WorksInARow together;
    while (!mark.reached) run_front(*mark.stream);
}

} // namespace reel::cuda::emulation
