// The library's own classes by name; tools/optim_index.py reads them off the headers. Nothing is initialised before main,
// and a static library keeps them all.
#pragma once

#include <utility>
#include <vector>

#include <reel/optim/factory.hpp>

namespace reel::optim::detail {

std::vector<std::pair<const char*, OptimizerFactory>> built_in_optimizers();
std::vector<std::pair<const char*, SchedulerFactory>> built_in_schedulers();

} // namespace reel::optim::detail
