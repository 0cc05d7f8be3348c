// Files that hold programs: archives of torch.jit.save (`torchscript`) and of torch.export (`exported`).
#pragma once

#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <reel/script/exported_program.hpp>
#include <reel/script/module.hpp>

#include "mapped_file.hpp"

namespace reel_file {

/// `torchscript` or `exported` by the members of a ZIP archive; empty for any other, and for one that cannot be read.
std::string program_format(const std::shared_ptr<const reel::serialize::MappedFile>& file);

/// A program of either kind. What an archive runs while it is loaded is held to limits.
struct Program {
    /// Throws reel::Error for a file that is refused.
    Program(const std::string& path, const std::string& format);
    reel::jit::Module script;
    std::optional<reel::jit::ExportedProgram> exported;

    reel::nn::Module& module() const;
    /// `method` is empty for `forward`, the only one of an exported program.
    reel::IValue run(const std::string& method, const reel::Args& inputs, const reel::Kwargs& named) const;
};

/// The state dict as files of weights are written: one JSON value.
void write_program_json(std::ostream& out, const Program& program);
/// State, attributes, code, constants and graph.
void write_program_table(std::ostream& out, const Program& program);
/// Reads all members and compares their checksums; says how many there are.
std::string check_program(const std::string& path);

} // namespace reel_file
