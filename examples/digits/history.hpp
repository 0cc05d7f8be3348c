// What a run remembers of each epoch, for the screen, the report and the checkpoint.
#pragma once

#include <vector>

#include <reel/autograd/value.hpp>

#include "monitor.hpp"

namespace digits {

struct EpochRecord {
    std::int64_t stage = 0, epoch = 0; ///< counted from 0
    double rate = 0, loss = 0, train_accuracy = 0, test_accuracy = 0;
    GradientNorms norms;
};
using History = std::vector<EpochRecord>;

reel::Value to_value(const History& history);
/// Throws KeyError or TypeError naming what is missing or of another kind.
History history_from(const reel::Value& value);

} // namespace digits
