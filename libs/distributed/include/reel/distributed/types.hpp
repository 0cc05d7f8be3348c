// What callers of collectives choose from: reductions, and what carries the bytes.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace reel::distributed {

/// How the ranks' elements become one. kAvg divides the sum by the number of ranks, in the operand's dtype; of bools,
/// sum, max and band/bor are "or" and "and".
enum class ReduceOp : std::uint8_t { kSum, kAvg, kMin, kMax, kProduct, kBand, kBor, kBxor };
inline constexpr ReduceOp kSum = ReduceOp::kSum, kAvg = ReduceOp::kAvg, kMin = ReduceOp::kMin, kMax = ReduceOp::kMax,
                          kProduct = ReduceOp::kProduct, kBand = ReduceOp::kBand, kBor = ReduceOp::kBor,
                          kBxor = ReduceOp::kBxor;

/// What carries the bytes between ranks. kThreads: ranks are threads of one process. kSockets: processes over TCP, with
/// nothing installed. kMPI: processes that `mpirun` started (libreel_mpi). kNCCL: one device a rank (libreel_nccl),
/// beside which messages go as kAuto finds. kAuto: the threads of `spawn`, else MPI under `mpirun`, else sockets where
/// RANK and WORLD_SIZE are set.
enum class Backend : std::uint8_t { kAuto, kThreads, kSockets, kMPI, kNCCL };

/// "sum", "threads": as the reference spells them, in messages and cases.
std::string_view name_of(ReduceOp op) noexcept;
std::string_view name_of(Backend backend) noexcept;
/// ValueError that lists the names there are.
ReduceOp reduce_op(std::string_view name);
Backend backend(std::string_view name);

/// How long a call waits for the others before it throws.
inline constexpr std::chrono::milliseconds default_timeout = std::chrono::minutes(30);

} // namespace reel::distributed
