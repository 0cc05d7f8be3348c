// Whole-run checkpoints: a dict of any values in one safetensors file.
#pragma once

#include <string>

#include <reel/autograd/value.hpp>

namespace reel::serialize {

/// Writes nested dicts, lists and tuples of tensors, numbers, strings, bools, dtypes and none. Tensors become entries
/// named by their path (`model.0.weight`), readable by every safetensors reader; the structure and all else stand in
/// the metadata, numbers exactly. The file is replaced atomically: a crash at any moment leaves the old one.
/// Errors: TypeError naming the path of a value that cannot be written; Error naming the file.
void save_checkpoint(const ValueDict& values, const std::string& path);
/// Reads it back, bit for bit. Errors, naming the file: Error when it cannot be read, ValueError when it is cut off,
/// damaged or not a checkpoint.
ValueDict load_checkpoint(const std::string& path);

} // namespace reel::serialize
