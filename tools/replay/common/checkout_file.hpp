// Files of the checkout that a program was built in.
#pragma once

#include <filesystem>
#include <string>

namespace replay {

/// Where `file` (a path relative to the checkout) is: looked for above the running program, then in the working folder;
/// empty when it is in neither.
std::string checkout_file(const std::filesystem::path& file);

} // namespace replay
