// The kinds of cases, each in the file that knows its format.
#pragma once

#include <filesystem>
#include <regex>

#include "script/notation.hpp"
#include "script/report.hpp"

namespace replay::script {

json::value read_json(const std::filesystem::path& file);
/// `archives/NAME/`.
void run_archive(const std::filesystem::path& folder, Report& report);
/// `export/NAME/`.
void run_export(const std::filesystem::path& folder, Report& report);
/// `trace/NAME.json`.
void run_trace(const std::filesystem::path& file, Report& report);
/// `define/cases.jsonl`, of which the names that match.
void run_defines(const std::filesystem::path& folder, const std::regex& filter, Report& report);
/// `hostile/cases.jsonl`.
void run_hostile(const std::filesystem::path& folder, const std::regex& filter, Report& report);

/// `real/NAME.json`: files of packages, looked for below `--real DIR`.
void run_real(const std::filesystem::path& file, Report& report);

} // namespace replay::script
