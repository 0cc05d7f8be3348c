// Schedule cases: the learning rate and momentum before the first and after every step.
#include <cmath>

#include <reel/autograd/ops.hpp>
#include <reel/optim/factory.hpp>
#include <reel/optim/lr_scheduler.hpp>

#include "common/compare.hpp"
#include "oracle/report.hpp"

namespace replay {

using namespace reel;

namespace {

/// The group's momentum, or the first of its betas.
double momentum_of(const optim::OptimizerOptions& o) {
    if (o.has("momentum")) return o.get("momentum").toDouble();
    return o.has("betas") ? o.get("betas").elements().at(0).toDouble() : 0;
}

std::string run_case(const CaseFile& file, const json::object& data) {
    ArgumentReader reader(file, MemoryLayout::contiguous);
    const Tensor rates = file.tensor("lr"), momenta = file.tensor("momentum");
    Kwargs options = reader.read_kwargs(data.at("optimizer"));
    const std::string name = options.at("name").toStringRef();
    options.erase("name");
    const Tensor p = reel::zeros({1}, kDouble).requires_grad_();
    const auto optimizer = optim::make_optimizer(name, {p}, {}, options);
    const auto schedule = optim::make_scheduler(std::string(data.at("scheduler").as_string()), *optimizer, {},
                                                reader.read_kwargs(data.at("options")));
    const json::value* metrics = data.if_contains("metrics");
    const Tolerance tolerance = module_tolerance(kDouble);
    for (std::int64_t t = 0; t < rates.numel(); ++t) {
        if (t > 0) {
            optimizer->step();
            std::optional<double> metric;
            if (metrics && metrics->is_array()) metric = metrics->as_array().at(std::size_t(t - 1)).to_number<double>();
            schedule->step_with(metric);
        }
        const auto& group = optimizer->param_groups()[0].options();
        const auto check = [&](const char* what, double got, double want) -> std::string {
            if (std::abs(got - want) <= tolerance.atol + tolerance.rtol * std::abs(want)) return {};
            return str(what, " after ", t, " steps is ", got, ", expected ", want);
        };
        if (std::string d = check("lr", group.get_lr(), rates.data_ptr<double>()[t]); !d.empty()) return d;
        if (std::string d = check("momentum", momentum_of(group), momenta.data_ptr<double>()[t]); !d.empty()) return d;
    }
    return {};
}

} // namespace

static void run_scheduler_file(const CaseFile& file, Report& report) {
    for (std::size_t index = 0; index < file.cases().size(); ++index) {
        const json::object& data = file.cases()[index].as_object();
        const std::string name(data.at("scheduler").as_string());
        Counts& counts = report.kinds["schedulers"][name];
        ++counts.cases;
        const json::value* optimizer = data.at("optimizer").as_object().if_contains("name");
        if (!optim::has_scheduler(name) || !optimizer || !optim::has_optimizer(std::string(optimizer->as_string()))) {
            ++counts.unsupported;
            continue;
        }
        std::string problem;
        try {
            problem = run_case(file, data);
        } catch (const std::exception& e) {
            problem = std::string("threw: ") + e.what();
        }
        if (problem.empty()) ++counts.passed;
        else {
            ++counts.failed;
            report.failure("schedulers/" + file.stem(), index, problem);
        }
    }
}

static const FilesIn schedulers_files("schedulers", run_scheduler_file);

} // namespace replay
