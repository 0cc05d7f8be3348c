// Files of training runs on several ranks.
#include <algorithm>
#include <filesystem>

#include "oracle/distributed_rank.hpp"
#include "oracle/ranks.hpp"

namespace replay {

namespace {

/// The first rank's trouble that is its own: the others' are mostly what it told them.
std::string first_problem(const std::vector<std::string>& results) {
    std::string problem;
    for (const std::string& result : results)
        if (!result.empty() && (problem.empty() || (problem.starts_with("DistError") && !result.starts_with("Dist"))))
            problem = result;
    return problem;
}

void run_one(const CaseFile& file, std::size_t index, Ranks& ranks, Report& report) {
    const DistributedRun run(file, file.cases()[index].as_object());
    if (run.world != ranks.size()) return;
    Counts& counts = report.kinds["distributed"][file.stem()];
    ++counts.cases;
    std::map<std::string, reel::Tensor> formula;
    if (run.is_exact()) formula = run_by_formula(run);
    const std::string problem = first_problem(ranks.run([&](std::int64_t) { run_distributed_rank(run, formula); }));
    if (problem.empty()) {
        ++counts.passed;
        return;
    }
    ++counts.failed;
    if (ranks.reports()) report.failure("distributed/" + file.stem(), index, problem);
}

void run_files(const std::filesystem::path& folder, Ranks& ranks, Report& report) {
    std::vector<std::filesystem::path> files;
    if (!std::filesystem::exists(folder / "runs")) return;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "runs"))
        if (entry.path().extension() == ".safetensors") files.push_back(entry.path());
    std::ranges::sort(files); // the same order on all ranks
    for (const auto& path : files) {
        const CaseFile file(path);
        for (std::size_t index = 0; index < file.cases().size(); ++index) run_one(file, index, ranks, report);
    }
}

} // namespace

static const RankCases distributed_runs("distributed", run_files);

} // namespace replay
