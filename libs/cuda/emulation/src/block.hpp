// One block: its threads in the order of the mode, on as few stacks as they need.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <source_location>
#include <string>
#include <vector>

#include <reel/cuda/emulation/grid.hpp>

#include "fiber.hpp"

namespace reel::cuda::emulation {

enum class State : std::uint8_t { fresh, running, at_barrier, in_collective, ready, returned };

/// One thread of the block.
struct Lane {
    Position position;
    unsigned number = 0; ///< in the block
    State state = State::fresh;
    Fiber* fiber = nullptr;
    std::source_location at; ///< where it waits
    // what it brought to a collective, and what it takes away
    Collective kind = Collective::sync;
    unsigned mask = 0;
    std::uint64_t value = 0;
    int source = 0;
};

class Block {
public:
    Block(const LaunchConfig& config, const std::function<void()>& thread, std::mt19937_64& dice);
    /// Runs all threads of block `index` to their ends.
    void run(uint3 index);

    /// The thread that runs, and its block; null between threads.
    static Lane* running();
    static Block* current();
    /// The running thread goes on when what it waits for has come.
    void wait(State state, std::source_location at);

    std::byte* shared() { return shared_.data(); }
    /// Counts the barriers that the block, and the full collectives that a warp, has passed: what is ordered.
    std::uint32_t phase() const { return phase_; }
    std::uint32_t warp_phase(unsigned lane) const { return warp_phases_[lane / 32]; }
    /// Of all threads of the launch, this one.
    std::uint64_t number_in_grid(const Lane& lane) const { return first_ + lane.number; }

private:
    void run_fresh();
    void make_ready(Lane& lane);
    bool release_barrier();
    bool release_collectives();
    [[noreturn]] void stuck() const;
    Fiber& free_fiber();

    const LaunchConfig& config_;
    const std::function<void()>& thread_;
    std::mt19937_64& dice_;
    std::vector<Lane> lanes_;
    std::vector<unsigned> order_;
    std::vector<std::byte> shared_;
    std::vector<std::uint32_t> warp_phases_;
    std::uint32_t phase_ = 0;
    std::uint64_t first_ = 0;
    std::size_t started_ = 0, returned_ = 0, at_barrier_ = 0;
    std::vector<Lane*> ready_; ///< the next one last
};

} // namespace reel::cuda::emulation
