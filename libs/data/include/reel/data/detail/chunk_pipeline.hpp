// Threads that load chunks of examples ahead of whoever takes batches of them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

namespace reel::data::detail {

/// Some threads load, one or more take; of the examples only their number is known here.
class ChunkPipeline {
public:
    /// What a thread has loaded, and how it goes to those that wait to be taken. `append` runs while nobody takes.
    struct Loaded {
        std::size_t examples;
        std::function<void()> append;
    };
    /// Loads the next chunks; nullopt when there are none. Runs on all threads at once.
    using Load = std::function<std::optional<Loaded>()>;
    /// Takes so many examples.
    using Take = std::function<void(std::size_t examples)>;

    /// Loads until `capacity` examples wait, on threads that compute with one thread each (ThreadLimit).
    ChunkPipeline(std::size_t threads, std::size_t capacity, Load load);
    /// Waits for what is being loaded.
    ~ChunkPipeline();
    ChunkPipeline(const ChunkPipeline&) = delete;
    /// Waits for `wanted` examples, or for as many as there are in the end, and has them taken; false when there are
    /// none. Errors: WorkerException for what a thread threw, once; the next call goes on.
    bool take(std::size_t wanted, const Take& take);

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace reel::data::detail
