// Files of training runs on several ranks.
#include <reel/autograd/error.hpp>
#include <reel/distributed/session.hpp>

#include "oracle/distributed_rank.hpp"
#include "oracle/report.hpp"

namespace replay {

static void run_distributed_file(const CaseFile& file, Report& report) {
    for (std::size_t index = 0; index < file.cases().size(); ++index) {
        const DistributedRun run(file, file.cases()[index].as_object());
        if (run.world != report.options.ranks) continue;
        Counts& counts = report.kinds["distributed"][file.stem()];
        ++counts.cases;
        std::string problem;
        try {
            const auto formula = run.is_exact() ? run_by_formula(run) : std::map<std::string, reel::Tensor>();
            reel::distributed::spawn(run.world, [&](std::int64_t) { run_distributed_rank(run, formula); });
        } catch (const std::exception& e) {
            problem = e.what();
        }
        if (problem.empty()) ++counts.passed;
        else {
            ++counts.failed;
            report.failure("distributed/" + file.stem(), index, problem);
        }
    }
}

static const FilesIn distributed_files("runs", run_distributed_file);

} // namespace replay
