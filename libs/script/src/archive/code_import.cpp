#include "archive/code_import.hpp"

namespace reel::jit {

void CodeImport::operator()(const std::string& qualified_name) {
    const std::size_t dot = qualified_name.rfind('.');
    if (dot == std::string::npos || qualified_name.rfind("__torch__", 0) != 0) return;
    const std::string module = qualified_name.substr(0, dot);
    auto known = files_.find(module);
    if (known == files_.end()) {
        std::unique_ptr<SourceFile> file;
        if (std::optional<std::string> text = archive_->code(module))
            file = std::make_unique<SourceFile>(unit_, module, archive_->path() + ": " + ArchiveFile::code_name(module),
                                                std::move(*text), constants_);
        known = files_.emplace(module, std::move(file)).first;
    }
    if (known->second) known->second->define(qualified_name);
}

} // namespace reel::jit
