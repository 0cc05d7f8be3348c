// From a file's tree to values and tensors.
#pragma once

#include <reel/serialize/save_load.hpp>

#include "pt_reader.hpp"

namespace reel::serialize {

/// ValueError naming the key path for what values cannot hold: bare storages, dtypes that tensors do not have.
Value to_value(const PtReader& file, const LoadOptions& options);

} // namespace reel::serialize
