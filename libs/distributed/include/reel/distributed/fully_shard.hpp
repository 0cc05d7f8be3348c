// Parameters of which every rank keeps its rows, and has the whole only while a module runs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <reel/distributed/process_group.hpp>
#include <reel/nn/functional_call.hpp>
#include <reel/nn/module.hpp>

namespace reel::distributed {

struct FullyShardOptions {
    ProcessGroup group{};
    /// Off: what was gathered for forward is kept for backward; costs its memory, saves gathering it again.
    bool reshard_after_forward = true;
    /// The ranks take parameters and buffers of the group's first rank; off where all have the same values already.
    bool sync_module_states = true;
    /// While a module runs, the parameters of the one that came after it the last time are gathered beside, in forward
    /// and in backward: communication is hidden, and two modules are whole at a time. The same on all ranks.
    bool prefetch = false;
};

/// Splits each parameter below `module` that no inner `fully_shard` owns along dimension 0: with n ranks, rank r keeps
/// ceil(rows / n) rows from the r-th such part on, the last ranks less or none. The parameters stay the same tensors,
/// under their names, so that an optimizer may have them before or after; their gradients and its state are of the
/// rows alone. While the module runs its members are the whole parameters, gathered in one call for all of them and
/// dropped after it; backward gathers again what the tape needs, adds the ranks' gradients, each divided by their
/// number, and leaves every rank its rows. Hooks on a parameter see the mean of its own rows. A parameter that does not
/// require grad takes no part in backward; one that no rank used keeps its gradient as it is. State dicts hold the
/// rows; `load_state_dict` takes whole tensors, too. Wrap inner modules first: one gathered module at a time is what a
/// rank needs beside its rows. The graph cannot be differentiated twice, copies of the module are not sharded, and the
/// step of an optimizer that looks at whole parameters (`is_elementwise`) is a NotImplementedError.
/// All ranks of the group call it, with the same module. Errors on all ranks: ValueError naming the first parameter
/// whose name, shape or dtype differs between them, a parameter without dimensions, one that is tied across two
/// sharded modules, a lazy layer without its sizes, a module that is sharded already.
void fully_shard(nn::Module& module, const FullyShardOptions& options = {});
/// The same of a holder, which is handed back.
template <class H>
requires(!std::is_convertible_v<H&, nn::Module&>) H& fully_shard(H& holder, const FullyShardOptions& options = {}) {
    fully_shard(static_cast<nn::Module&>(nn::detail::module_of(holder)), options);
    return holder;
}

/// Which rows of which whole a rank has.
struct Shard {
    std::vector<std::int64_t> sizes; ///< of the whole
    std::int64_t begin = 0, rows = 0;
    ProcessGroup group{};
};
/// Of a parameter that `fully_shard` split; nullopt for every other tensor.
std::optional<Shard> shard_of(const Tensor& parameter);
/// The whole of a sharded parameter, or of what lies as it does (its gradient, an optimizer's state): the ranks' rows
/// one behind the other. All ranks of the group call it. A tensor that is not sharded comes back as it is.
Tensor full_tensor(const Tensor& parameter);
Tensor full_tensor(const Tensor& rows, const Shard& shard);
/// The state dict of the module as it would be without shards, the same on all ranks, which all call it.
nn::StateDict full_state_dict(nn::Module& module);

} // namespace reel::distributed
