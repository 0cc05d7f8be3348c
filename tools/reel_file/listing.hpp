// What is in a file: as one line of JSON, or as a table for people.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "pt_reader.hpp"

namespace reel_file {

/// `zip`, `legacy`, `tar`, `torchscript`, `exported`, `safetensors`, `npy`, `npz` or `other`: by its extension where
/// that says a kind, else by its first bytes.
std::string format_of(const std::string& path);
/// The same once its reader has refused it with this message: only then are archives of other programs told apart.
std::string format_of(const std::string& format, const std::string& refusal);
/// Reads all of a file, also members that no value refers to, and compares the checksums. Says in words what it
/// compared. Throws reel::Error for a refused file.
std::string check(const std::string& path, const std::string& format);
/// Writes the value in the notation of the fixtures' manifest. Throws reel::Error for a refused file.
void write_json(std::ostream& out, const std::string& path, const std::string& format);
/// Names, dtypes, shapes, bytes and first values.
void write_table(std::ostream& out, const std::string& path, const std::string& format);

// The parts that they are made of.

/// The value of a checkpoint.
void write_pt_json(std::ostream& out, const reel::serialize::PtReader& file);
void write_pt_table(std::ostream& out, const reel::serialize::PtReader& file);
/// Hash and first values of an array that is complete in memory.
void dense_fields(std::ostream& out, reel::serialize::FileDtype dtype, const char* data, std::uint64_t bytes);
/// One line of a table.
void write_row(std::ostream& out, const std::string& name, const std::string& dtype,
               const std::vector<std::int64_t>& shape, std::uint64_t bytes, const std::string& first,
               const std::string& notes);

} // namespace reel_file
