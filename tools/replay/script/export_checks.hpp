// Script modules as exported programs.
#pragma once

#include "script/cases.hpp"

namespace replay::script {

/// A property: where a run of `forward` can be exported, the program that is saved and loaded gives what the run gives.
/// What cannot be exported is counted. `name` names the file where the run asks for files.
void check_export(Case& c, const std::string& name, const std::filesystem::path& archive, const json::object& run,
                  const Values& values);

} // namespace replay::script
