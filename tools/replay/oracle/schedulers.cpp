#include "oracle/report.hpp"

namespace replay {

void run_scheduler_file(const CaseFile& file, Report& report) {
    Counts& counts = report.kinds["schedulers"][file.stem()];
    counts.cases += int(file.cases().size());
    counts.unsupported += int(file.cases().size());
}

} // namespace replay
