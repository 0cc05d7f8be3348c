// What is in a file: as one line of JSON, or as a table for people.
#pragma once

#include <ostream>
#include <string>

namespace reel_file {

/// `zip`, `legacy`, `tar`, `torchscript`, `safetensors`, `npy`, `npz` or `other`: by its extension where that says a
/// kind, else by its first bytes.
std::string format_of(const std::string& path);
/// Writes the value in the notation of the fixtures' manifest. Throws reel::Error for a refused file.
void write_json(std::ostream& out, const std::string& path, const std::string& format);
/// Names, dtypes, shapes, bytes and first values.
void write_table(std::ostream& out, const std::string& path, const std::string& format);

} // namespace reel_file
