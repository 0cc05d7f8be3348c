// Names in the archives of PyTorch.
#pragma once

#include <string>
#include <vector>

#include "zip_writer.hpp"

namespace reel::serialize {

/// The file's name without folder and last extension, as the reference names the root folder; `archive` where that is
/// no plain name.
std::string archive_root(const std::string& path);
/// 40 digits that follow from the names and checksums of the members that are written before (rule PT-12).
std::string serialization_id(const std::vector<std::string>& names, const ZipWriter& zip);

} // namespace reel::serialize
