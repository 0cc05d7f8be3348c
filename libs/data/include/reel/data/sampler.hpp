// Samplers: in which order a loader visits a dataset.
#pragma once

#include <reel/data/samplers.hpp> // IWYU pragma: export
