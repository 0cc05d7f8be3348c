// Optimizer cases: the class by name, its groups, the gradients of every step, the parameters after it.
#include <reel/autograd/backward.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/optim/factory.hpp>

#include "common/compare.hpp"
#include "oracle/report.hpp"

namespace replay {

using namespace reel;

namespace {

/// Rosenbrock's banana: (1 - x)^2 + 100 (y - x^2)^2.
Tensor rosenbrock(const Tensor& p) {
    const Tensor x = p[0], y = p[1];
    const Tensor a = 1.0 - x, b = y - x * x;
    return a * a + b * b * 100.0;
}

std::string run_case(const CaseFile& file, const json::object& data, MemoryLayout layout) {
    ArgumentReader reader(file, layout);
    std::vector<Tensor> params;
    while (file.has(str("param.", params.size())))
        params.push_back(lay_out(file.tensor(str("param.", params.size())), layout).requires_grad_());
    std::vector<optim::OptimizerParamGroup> groups;
    if (const json::value* list = data.if_contains("groups")) {
        for (const json::value& g : list->as_array()) {
            std::vector<Tensor> members;
            json::object options = g.as_object();
            for (const json::value& i : options.at("params").as_array())
                members.push_back(params.at(std::size_t(i.as_int64())));
            options.erase("params");
            groups.emplace_back(std::move(members), reader.read_kwargs(options));
        }
    } else groups.emplace_back(params);
    const auto optimizer = optim::make_optimizer(std::string(data.at("optimizer").as_string()), std::move(groups), {},
                                                 reader.read_kwargs(data.at("options")));
    const bool closure = data.contains("closure");
    const std::int64_t steps = data.at("steps").as_int64();
    for (std::int64_t t = 0; t < steps; ++t) {
        optimizer->zero_grad();
        for (std::size_t i = 0; i < params.size(); ++i)
            if (const std::string key = str("grad.", t, ".", i); file.has(key))
                params[i].mutable_grad() = lay_out(file.tensor(key), layout);
        if (closure)
            optimizer->step([&] {
                optimizer->zero_grad();
                const Tensor loss = rosenbrock(params.at(0));
                loss.backward();
                return loss;
            });
        else optimizer->step();
        for (std::size_t i = 0; i < params.size(); ++i) {
            const std::string key = str("after.", t, ".", i);
            if (!file.has(key)) continue;
            const Tensor want = file.tensor(key);
            const std::string d = difference(params[i].detach(), want, module_tolerance(want.scalar_type()));
            if (!d.empty()) return key + ": " + d;
        }
    }
    return {};
}

} // namespace

static void run_optim_file(const CaseFile& file, Report& report) {
    for (std::size_t index = 0; index < file.cases().size(); ++index) {
        const json::object& data = file.cases()[index].as_object();
        const std::string name(data.at("optimizer").as_string());
        Counts& counts = report.kinds["optimizers"][name];
        ++counts.cases;
        if (!optim::has_optimizer(name)) {
            ++counts.unsupported;
            continue;
        }
        std::string problem;
        try {
            problem = run_case(file, data, report.options.layout);
        } catch (const std::exception& e) {
            problem = std::string("threw: ") + e.what();
        }
        if (problem.empty()) ++counts.passed;
        else {
            ++counts.failed;
            report.failure("optim/" + file.stem(), index, problem);
        }
    }
}

static const FilesIn optim_files("optim", run_optim_file);

} // namespace replay
