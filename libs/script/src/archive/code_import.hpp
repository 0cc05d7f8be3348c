// The classes and functions of an archive, compiled when a name is met (rule SC-18).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <reel/script/compile.hpp>

#include "archive/archive_file.hpp"

namespace reel::jit {

/// Lives in the unit's importer, for as long as the unit does.
class CodeImport {
public:
    CodeImport(CompilationUnit& unit, std::shared_ptr<ArchiveFile> archive,
               std::shared_ptr<const std::vector<IValue>> constants)
        : unit_(unit), archive_(std::move(archive)), constants_(std::move(constants)) {}
    /// Adds what the archive's code calls by that name to the unit, if there is such a thing.
    void operator()(const std::string& qualified_name);

private:
    CompilationUnit& unit_;
    std::shared_ptr<ArchiveFile> archive_;
    std::shared_ptr<const std::vector<IValue>> constants_;
    std::map<std::string, std::unique_ptr<SourceFile>> files_; ///< null for those that the archive does not have
};

} // namespace reel::jit
