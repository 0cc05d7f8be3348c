#include "common/checkout_file.hpp"

namespace replay {

std::string checkout_file(const std::filesystem::path& file) {
    namespace fs = std::filesystem;
    std::error_code ignored;
    const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
    for (fs::path folder = program.parent_path(); !folder.empty(); folder = folder.parent_path()) {
        if (fs::exists(folder / file)) return (folder / file).string();
        if (folder == folder.root_path()) break;
    }
    return fs::exists(file) ? file.string() : std::string();
}

} // namespace replay
