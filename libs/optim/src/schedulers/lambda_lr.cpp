#include <reel/optim/schedulers/lambda_lr.hpp>

namespace reel::optim {

namespace {
EpochFunctions one_each(const char* name, EpochFunctions fns, std::size_t groups) {
    if (fns.size() == 1) fns.resize(groups, fns[0]);
    REEL_CHECK_VALUE(fns.size() == groups, name, ": ", fns.size(), " functions for ", groups, " parameter groups");
    return fns;
}
} // namespace

LambdaLR::LambdaLR(Optimizer& optimizer, EpochFunctions fns, std::int64_t last_epoch)
    : LRScheduler(optimizer, last_epoch), fns_(one_each("LambdaLR", std::move(fns), base_lrs_.size())) {
    initial_step();
}
std::vector<double> LambdaLR::get_lrs() {
    std::vector<double> r = base_lrs_;
    for (std::size_t i = 0; i < r.size(); ++i) r[i] *= fns_[i](last_epoch_);
    return r;
}

MultiplicativeLR::MultiplicativeLR(Optimizer& optimizer, EpochFunctions fns, std::int64_t last_epoch)
    : LRScheduler(optimizer, last_epoch), fns_(one_each("MultiplicativeLR", std::move(fns), base_lrs_.size())) {
    initial_step();
}
std::vector<double> MultiplicativeLR::get_lrs() {
    check_groups();
    std::vector<double> r = get_current_lrs();
    if (!is_initial_)
        for (std::size_t i = 0; i < r.size(); ++i) r[i] *= fns_[i](last_epoch_);
    return r;
}

} // namespace reel::optim
