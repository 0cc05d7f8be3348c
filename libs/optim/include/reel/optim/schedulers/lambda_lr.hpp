// Rates from a function of the epoch.
#pragma once

#include <functional>

#include <reel/optim/lr_scheduler.hpp>

namespace reel::optim {

/// One function for all parameter groups or one each.
using EpochFunctions = std::vector<std::function<double(std::int64_t)>>;

/// base * fn(epoch).
class LambdaLR : public LRScheduler {
public:
    LambdaLR(Optimizer& optimizer, std::function<double(std::int64_t)> fn, std::int64_t last_epoch = -1)
        : LambdaLR(optimizer, EpochFunctions{std::move(fn)}, last_epoch) {}
    LambdaLR(Optimizer& optimizer, EpochFunctions fns, std::int64_t last_epoch = -1);

protected:
    std::vector<double> get_lrs() override;

private:
    EpochFunctions fns_;
};
/// current * fn(epoch), from epoch 1 on (from epoch 0 on where another schedule's rate is taken over: SequentialLR).
class MultiplicativeLR : public LRScheduler {
public:
    MultiplicativeLR(Optimizer& optimizer, std::function<double(std::int64_t)> fn, std::int64_t last_epoch = -1)
        : MultiplicativeLR(optimizer, EpochFunctions{std::move(fn)}, last_epoch) {}
    MultiplicativeLR(Optimizer& optimizer, EpochFunctions fns, std::int64_t last_epoch = -1);

protected:
    std::vector<double> get_lrs() override;

private:
    EpochFunctions fns_;
};
namespace lr_scheduler {
using optim::LambdaLR;
using optim::MultiplicativeLR;
} // namespace lr_scheduler

} // namespace reel::optim
