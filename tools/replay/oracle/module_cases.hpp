// Cases about modules that are made by name: what became of each is counted in one way.
#pragma once

#include <string>

#include <reel/nn/factory.hpp>

#include "oracle/report.hpp"

namespace replay {

/// Runs the cases of a file of `kind`. `run(case, module's name, index)` returns what is wrong, empty for nothing, and
/// may throw; modules are called `prefix` + what the case says, and those that do not exist are unsupported.
template <class Run>
void run_module_cases(const char* kind, const std::string& prefix, const CaseFile& file, Report& report, Run run) {
    for (std::size_t index = 0; index < file.cases().size(); ++index) {
        const json::object& data = file.cases()[index].as_object();
        const std::string plain(data.at("module").as_string()), name = prefix + plain;
        Counts& counts = report.kinds[kind][plain];
        ++counts.cases;
        if (!reel::nn::has_module(name)) {
            ++counts.unsupported;
            continue;
        }
        std::string problem;
        try {
            problem = run(data, name, index);
        } catch (const std::exception& e) {
            problem = std::string("threw: ") + e.what();
        }
        ++(problem.empty() ? counts.passed : counts.failed);
        if (!problem.empty()) report.failure(std::string(kind) + "/" + file.stem(), index, problem);
    }
}

} // namespace replay
