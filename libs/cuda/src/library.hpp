// Libraries of the toolkit that are looked for when the first op asks: Reel's own loads without them.
#pragma once

#include <optional>
#include <string>

namespace reel::cuda {

/// What dlsym finds functions of a library with: the process, if it has `function` already and the environment's
/// `variable` names no other file, else that file or `file`, opened. Nothing, with the reason in `missing`, where there
/// is none.
std::optional<void*> find_library(const char* function, const char* variable, const char* file, std::string& missing);

} // namespace reel::cuda
