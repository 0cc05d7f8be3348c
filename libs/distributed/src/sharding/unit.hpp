// The parameters that one call of `fully_shard` split, and their way to the whole and back.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <reel/autograd/tensor.hpp>
#include <reel/distributed/fully_shard.hpp>
#include <reel/nn/fwd.hpp>

#include "sharding/flat_buffer.hpp"
#include "sharding/prefetch.hpp"

namespace reel::distributed {

class ForwardScope;

struct ShardedParameter {
    std::string path; ///< below the module
    Tensor local;     ///< the parameter, which holds this rank's rows
    std::vector<std::int64_t> sizes;
    std::size_t places; ///< under how many names the module has it
};

class Unit : public std::enable_shared_from_this<Unit> {
public:
    Unit(nn::Module& module, const FullyShardOptions& options, std::vector<ShardedParameter> parameters);
    ~Unit();
    const std::vector<ShardedParameter>& parameters() const { return parameters_; }
    const ProcessGroup& group() const { return group_; }
    Shard shard(std::size_t parameter) const;

    /// The whole of all parameters, in order, without history. A collective, unless it was begun by `prefetch` and the
    /// rows are still the same.
    std::vector<Tensor> gather();
    /// This rank's rows of the ranks' gradients' mean, undefined where no rank has one. A collective over the
    /// parameters `of`, to which the gradients belong.
    std::vector<Tensor> reduce(const std::vector<std::size_t>& of, const std::vector<Tensor>& gradients) const;

    /// A parameter's whole in backward: gathered for the first that asks, until `drop` or the end of the pass. Error
    /// when its rows are no longer those of `version`.
    Tensor whole_again(std::size_t parameter, std::int64_t version);
    void drop();

    /// Begins to gather, while the caller goes on.
    void prefetch();
    /// Lets go of that: it was not wanted.
    void forget_prefetched();
    bool prefetches() const { return prefetch_; }
    NextWanted next[2]; ///< see prefetch.hpp

    void begin_forward(nn::Module& module);
    void end_forward();

private:
    /// A gathering under way.
    struct Prefetched {
        std::vector<FlatBuffer> buffers;
        std::vector<Gathering> gatherings;
        std::vector<std::int64_t> versions;
    };
    Prefetched begin_gather(bool beside) const;
    std::vector<std::int64_t> versions() const;
    void keep(std::vector<Tensor> whole);
    nn::Module* module_;
    std::string name_;
    ProcessGroup group_;
    bool reshard_, prefetch_;
    std::vector<ShardedParameter> parameters_;
    std::vector<std::unique_ptr<ForwardScope>> calls_;
    std::mutex mutex_;
    std::vector<Tensor> kept_; ///< for backward; or nothing
    std::vector<std::int64_t> kept_versions_;
    std::mutex prefetched_mutex_;
    std::optional<Prefetched> prefetched_;
};

} // namespace reel::distributed
