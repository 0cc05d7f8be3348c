// Freezing a module for good: pinned bytes, pinned mode, and a list of who tried to change them.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include <reel/autograd/error.hpp>
#include <reel/nn/module.hpp>
#include <reel/optim/optimizer.hpp>

namespace reel::inspect {

/// What happens to a write that is aimed at a pinned tensor (an in-place op, `copy_`, `load_state_dict`, `set_data`).
enum class OnWrite {
    Refuse, ///< throws PinnedError before anything is written
    Log     ///< lets it through and lists it; `verify` then tells the difference
};

/// What `freeze` pins.
struct FreezeOptions {
    bool params = true;  ///< no gradients; values stay
    bool buffers = true; ///< values stay: running statistics too
    bool mode = true;    ///< evaluation mode, whatever `train()` on a parent says
    OnWrite on_write = OnWrite::Refuse;
    /// Optimizers whose membership must stay as it is: `verify` lists parameters of the module that joined or left.
    std::vector<optim::Optimizer*> optimizers = {};
};

/// Somebody tried to change something pinned.
struct WriteAttempt {
    std::string tensor; ///< `weight`; `(mode)` for train() and eval(), `(optimizer)` for membership
    std::string what;   ///< `add_`, `batch_norm`, `train(true)`, ...
    std::string place;  ///< in the program, when that is known
    bool happened;      ///< false: refused, or passed over
    std::size_t times;  ///< the same from the same place is listed once
};
/// A tensor that is not as it was.
struct PinnedDifference {
    std::string tensor;
    std::string text; ///< how many elements differ, and the first of them
};
/// What `verify` finds.
struct FreezeReport {
    std::size_t tensors = 0, bytes = 0; ///< compared
    std::vector<PinnedDifference> differences;
    std::vector<WriteAttempt> attempts;
    /// Every byte is as it was.
    bool intact() const { return differences.empty(); }
    std::string text() const;
    std::string json() const;
};
std::ostream& operator<<(std::ostream& os, const FreezeReport& report);

/// What a refused write throws.
class PinnedError : public Error {
public:
    explicit PinnedError(std::string msg, std::source_location where = std::source_location::current())
        : Error(std::move(msg), where) {}
    ~PinnedError() override;
};

/// What freezing takes off a backward pass.
struct PruneReport {
    struct Item {
        std::string node, module_path;
        bool whole;            ///< false: the node stays, but computes less
        double flops = 0;      ///< floating operations of backward that are saved, estimated from shapes
        std::size_t bytes = 0; ///< of tensors that the tape need not keep
    };
    std::vector<Item> items; ///< in the order of backward
    std::size_t nodes_before = 0, nodes_after = 0, accumulators = 0;
    double flops_before = 0, flops_saved = 0;
    std::size_t bytes_before = 0, bytes_saved = 0; ///< kept for backward
    std::size_t grad_bytes = 0;                    ///< of gradients that are never made
    std::string text() const;
    std::string json() const;
};
std::ostream& operator<<(std::ostream& os, const PruneReport& report);
/// `loss` was computed while `frozen` still learned: what would freezing its parameters take off backward? Nodes that
/// only lead to them fall away, others compute less.
PruneReport prune_report(const Tensor& loss, const nn::Module& frozen);

/// Keeps a module as it is while it lives; movable. Sweeping changes pass over what is pinned and are listed:
/// `train()`, `requires_grad_()`, an optimizer's step, running statistics. Writes aimed at a pinned tensor throw
/// PinnedError (or go through, see OnWrite). Writes through raw pointers cannot be seen; `verify` finds them by their
/// bytes. The end of the guard gives back `requires_grad`, gradients and modes.
class FreezeGuard {
public:
    FreezeGuard(FreezeGuard&&) noexcept;
    FreezeGuard& operator=(FreezeGuard&&) noexcept;
    ~FreezeGuard();

    /// Compares every pinned byte with its copy.
    FreezeReport verify() const;
    const std::vector<WriteAttempt>& attempts() const;
    /// Runs `loss` once with the parameters thawed (modes, buffers and random numbers as they are) and tells what the
    /// guard takes off its backward.
    PruneReport prune_report(const std::function<Tensor()>& loss) const;
    /// Ends the guard early.
    void release();

private:
    friend FreezeGuard freeze(nn::Module& module, const FreezeOptions& options);
    struct Pinned;
    explicit FreezeGuard(std::unique_ptr<Pinned> pinned);
    std::unique_ptr<Pinned> pinned_;
};

/// Pins `module`. Throws ValueError when nothing is asked for, or for a null optimizer.
[[nodiscard]] FreezeGuard freeze(nn::Module& module, const FreezeOptions& options = {});

} // namespace reel::inspect
