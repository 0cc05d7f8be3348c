// Whole files in memory, unzipped where they are zipped.
#pragma once

#include <string>
#include <string_view>

namespace reel::data {

/// Errors: Error naming the file.
std::string read_file_bytes(const std::string& path);
/// Whether the bytes begin as gzip data do.
bool is_gzip(std::string_view bytes);
/// False when the data are damaged or cut off; `out` then holds what came before.
bool gunzip(std::string_view bytes, std::string& out);

} // namespace reel::data
