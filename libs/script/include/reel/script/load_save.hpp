// Archives of `torch.jit.save`: reading and writing.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>

#include <reel/script/module.hpp>
#include <reel/serialize/save_load.hpp>

namespace reel::jit {

/// Reads an archive. Tensors go to `map_location`, or where the file says that they were. Where `extra_files` names
/// files of the archive, their contents are put there. Nothing in an archive is trusted: code is parsed and runs only
/// on known operators, and what is damaged, of a wrong type or too deep is refused (rules SC-1 to SC-13, SC-97).
/// Errors: Error when the file cannot be opened; ValueError and ScriptError naming file, member, and class or line.
Module load(const std::string& path, std::optional<Device> map_location = std::nullopt,
            ExtraFilesMap* extra_files = nullptr);
/// The same from a stream, from where it stands to its end.
Module load(std::istream& stream, std::optional<Device> map_location = std::nullopt,
            ExtraFilesMap* extra_files = nullptr);
/// The same from the bytes of a file; `name` stands for it in messages.
Module load_from_buffer(std::string bytes, std::optional<Device> map_location = std::nullopt,
                        ExtraFilesMap* extra_files = nullptr, const std::string& name = "the data");

/// Writes an archive: PyTorch reads it, and an archive that was loaded comes out as it came in, member for member. The
/// file is replaced atomically. TypeError naming the attribute that an archive cannot hold.
void save(const Module& module, const std::string& path, const ExtraFilesMap& extra_files = {});
void save(const Module& module, std::ostream& stream, const ExtraFilesMap& extra_files = {});
/// The file's bytes.
std::string save_to_buffer(const Module& module, const ExtraFilesMap& extra_files = {});

// libtorch has them in both namespaces.
using reel::pickle_load;
using reel::pickle_save;

} // namespace reel::jit
