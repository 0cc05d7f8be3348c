// One training run on several ranks, as the reference files describe it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <reel/nn/module.hpp>
#include <reel/optim/optimizer.hpp>

#include "common/case_file.hpp"

namespace replay {

/// The description of a run, and its tensors.
class DistributedRun {
public:
    DistributedRun(const CaseFile& file, const json::object& data);

    std::string name, net;
    std::int64_t world = 1, steps = 0, accumulate = 1;
    reel::ScalarType dtype = reel::kDouble;
    bool two = false, twice = false, hooks = false, sync = false, zero = false, fsdp = false, joins = false;
    double clip = 0; ///< none

    const json::value* field(const char* key) const { return data_->if_contains(key); }
    bool has(const std::string& key) const { return tensors_.contains(key); }
    const reel::Tensor& tensor(const std::string& key) const;
    const std::map<std::string, reel::Tensor>& tensors() const { return tensors_; }
    /// `key`, or what is stored of it for this rank.
    std::string key_for(const std::string& key, std::int64_t rank) const;
    /// How many batches the rank has.
    std::int64_t batches(std::int64_t rank) const;
    std::int64_t branch(std::int64_t step, std::int64_t rank) const;
    /// Does the run end with an error on each rank?
    bool fails() const { return field("err") != nullptr; }
    /// Do two ranks give the very bits of the formula? Shards add the parts' norms where one process has one sum, and
    /// average the gradients of each forward by itself.
    bool is_exact() const { return world == 2 && !field("comm") && !sync && !(fsdp && (clip > 0 || two)); }
    /// Whose values after the start of PowerSGD are nobody's.
    bool is_open(std::int64_t step) const;
    double tolerance() const;

    /// The net with the values that rank `rank` has before (or, where nothing is said, after) it is wrapped.
    reel::nn::ModulePtr make_net(std::int64_t rank) const;
    std::unique_ptr<reel::optim::Optimizer> make_optimizer(const std::vector<reel::Tensor>& parameters) const;
    std::string optimizer_name() const;
    reel::Kwargs optimizer_options() const;

private:
    const CaseFile* file_;
    const json::object* data_;
    std::map<std::string, reel::Tensor> tensors_;
};

/// The run's nets; `branch` counts for the one that has branches.
reel::nn::ModulePtr make_distributed_net(const std::string& name);
void take_branch(reel::nn::Module& net, std::int64_t branch);
/// The loss of a step: once, or twice with x and 2x.
reel::Tensor step_loss(reel::nn::Module& called, const reel::Tensor& x, const reel::Tensor& target, bool two);

/// What one process gets that computes each rank's gradients by itself and averages them: `grad.T.NAME` (absent where
/// undefined) and `end.NAME`. On ranks 0 and 1.
std::map<std::string, reel::Tensor> run_by_formula(const DistributedRun& run);

} // namespace replay
