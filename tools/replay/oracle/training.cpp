// Whole training runs on the digits, from the seed to the last parameter.
#include <cmath>
#include <filesystem>

#include <reel/autograd/generator.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/data/csv.hpp>
#include <reel/nn/factory.hpp>
#include <reel/nn/modules/sequential.hpp>
#include <reel/nn/utils/clip_grad.hpp>
#include <reel/optim/factory.hpp>
#include <reel/optim/lr_scheduler.hpp>

#include "common/compare.hpp"
#include "oracle/report.hpp"

namespace replay {

using namespace reel;

namespace {

/// `[class, args, kwargs]`
struct Call {
    std::string name;
    Args args;
    Kwargs kwargs;
};
Call read_call(ArgumentReader& reader, const json::value& v) {
    const json::array& a = v.as_array();
    return {std::string(a.at(0).as_string()), reader.read_args(a.at(1)), reader.read_kwargs(a.at(2))};
}

std::string digits_file(const CaseFile& file, const Options& options) {
    if (!options.data_file.empty()) return options.data_file;
    const auto reference = file.path().parent_path().parent_path().parent_path();
    for (const auto& candidate :
         {std::filesystem::path("examples/data/digits.csv.gz"), reference / "data/digits.csv.gz"})
        if (std::filesystem::exists(candidate)) return candidate.string();
    return "examples/data/digits.csv.gz";
}

Tensor column_of(const std::vector<double>& values) {
    Tensor t = reel::empty({std::int64_t(values.size())}, kDouble);
    std::copy(values.begin(), values.end(), t.data_ptr<double>());
    return t;
}

class Run {
public:
    Run(const CaseFile& file, const json::object& data, const std::string& digits)
        : file_(file), data_(data), reader_(file, MemoryLayout::contiguous) {
        const json::value* name = data.if_contains("dtype");
        double_ = name && name->as_string() == "float64";
        table_ = data::read_csv(digits);
    }
    /// A class that does not exist, or an empty text.
    std::string missing() {
        for (const json::value& layer : data_.at("net").as_array())
            if (const Call c = read_call(reader_, layer); !nn::has_module(c.name)) return c.name;
        if (const Call c = read_call(reader_, data_.at("loss")); !nn::has_module(c.name)) return c.name;
        if (const Call c = read_call(reader_, data_.at("optimizer")); !optim::has_optimizer(c.name)) return c.name;
        if (!data_.at("scheduler").is_null())
            if (const Call c = read_call(reader_, data_.at("scheduler")); !optim::has_scheduler(c.name)) return c.name;
        return {};
    }
    std::string go() {
        // A float64 run is one whose default dtype is float64: weights are drawn and scalars kept in it.
        struct DefaultDtype {
            explicit DefaultDtype(ScalarType t) : before(get_default_dtype()) { set_default_dtype(t); }
            ~DefaultDtype() { set_default_dtype(before); }
            ScalarType before;
        };
        const ScalarType dtype = double_ ? kDouble : kFloat;
        manual_seed(std::uint64_t(data_.at("seed").to_number<std::int64_t>()));
        const DefaultDtype guard(dtype);
        build();
        if (std::string d = compare_state("start.", double_ ? 1e-9 : 1e-5); !d.empty()) return d;
        const Tensor pixels = (table_.narrow(1, 0, 64) / 16.0).reshape({-1, 1, 8, 8}).to(dtype).contiguous();
        const Tensor labels = table_.select(1, 64).to(kLong).contiguous();
        train(pixels, labels);
        for (const auto& [key, got] : {std::pair("loss", &losses_), std::pair("grad_norm", &norms_)})
            if (std::string d = compare(key, column_of(*got), double_ ? 1e-9 : 1e-4); !d.empty()) return d;
        if (std::string d = compare_state("end.", double_ ? 1e-9 : 1e-3); !d.empty()) return d;
        net_->eval();
        NoGradGuard no_grad;
        const Tensor hits = reel::eq(reel::argmax(net_->call_values({pixels}).toTensor(), 1), labels);
        return compare("accuracy",
                       column_of({hits.to(kDouble).mean().item<double>()}).reshape(file_.tensor("accuracy").sizes()),
                       1e-3);
    }

private:
    void build() {
        build_net();
        const Call o = read_call(reader_, data_.at("optimizer"));
        optimizer_ = optim::make_optimizer(o.name, net_->parameters(), o.args, o.kwargs);
        if (!data_.at("scheduler").is_null()) {
            const Call s = read_call(reader_, data_.at("scheduler"));
            scheduler_ = optim::make_scheduler(s.name, *optimizer_, s.args, s.kwargs);
        }
    }
    void build_net() {
        net_ = std::make_shared<nn::SequentialImpl>();
        for (const json::value& layer : data_.at("net").as_array()) {
            const Call c = read_call(reader_, layer);
            net_->push_back(nn::make_module(c.name, c.args, c.kwargs));
        }
        const Call loss = read_call(reader_, data_.at("loss"));
        loss_ = nn::make_module(loss.name, loss.args, loss.kwargs);
    }
    void train(const Tensor& pixels, const Tensor& labels) {
        const std::int64_t rows = labels.numel(), batch = data_.at("batch").as_int64(),
                           steps = data_.at("steps").as_int64();
        const json::value* accumulate = data_.if_contains("accumulate");
        const json::value* clip = data_.if_contains("clip_grad_norm");
        const json::value* freeze = data_.if_contains("freeze_after");
        const std::int64_t every = accumulate && !accumulate->is_null() ? accumulate->as_int64() : 1;
        std::int64_t step = 0, micro = 0;
        while (step < steps) {
            const Tensor order = reel::randperm(rows);
            for (std::int64_t at = 0; at + batch <= rows && step < steps; at += batch, ++step) {
                if (freeze && !freeze->is_null() && step == freeze->as_array().at(0).as_int64())
                    for (const json::value& child : freeze->as_array().at(1).as_array())
                        net_->get_submodule(std::string(child.as_string()))->requires_grad_(false);
                const Tensor chosen = order.narrow(0, at, batch);
                if (micro % every == 0) optimizer_->zero_grad();
                const Tensor out = net_->call_values({reel::index_select(pixels, 0, chosen)}).toTensor();
                const Tensor loss = loss_->call_values({out, reel::index_select(labels, 0, chosen)}).toTensor();
                (every > 1 ? loss / double(every) : loss).backward();
                losses_.push_back(loss.item<double>());
                norms_.push_back(norm_or_clip(clip));
                if (++micro % every == 0) optimizer_->step();
            }
            if (scheduler_) scheduler_->step_with(std::nullopt);
        }
    }
    double norm_or_clip(const json::value* clip) {
        if (clip && !clip->is_null()) return nn::utils::clip_grad_norm_(net_->parameters(), clip->to_number<double>());
        std::vector<Tensor> gradients;
        for (const Tensor& p : net_->parameters()) gradients.push_back(p.grad());
        return nn::utils::get_total_norm(gradients);
    }
    /// Differences are relative to the largest element.
    std::string compare(const std::string& key, const Tensor& got, double tolerance) {
        const Tensor want = file_.tensor(key);
        const bool exact = !isFloatingType(want.scalar_type());
        const std::string d = difference(exact ? got : got.to(want.scalar_type()), want,
                                         exact ? Tolerance{} : Tolerance{1e-12, tolerance, true});
        return d.empty() ? d : key + ": " + d;
    }
    std::string compare_state(const std::string& prefix, double tolerance) {
        for (const auto& item : net_->state_dict())
            if (file_.has(prefix + item.key()))
                if (std::string d = compare(prefix + item.key(), item.value().toTensor(), tolerance); !d.empty())
                    return d;
        return {};
    }

    const CaseFile& file_;
    const json::object& data_;
    ArgumentReader reader_;
    bool double_ = false;
    Tensor table_;
    std::shared_ptr<nn::SequentialImpl> net_;
    nn::ModulePtr loss_;
    std::unique_ptr<optim::Optimizer> optimizer_;
    std::unique_ptr<optim::SchedulerBase> scheduler_;
    std::vector<double> losses_, norms_;
};

} // namespace

static void run_training_file(const CaseFile& file, Report& report) {
    for (std::size_t index = 0; index < file.cases().size(); ++index) {
        Counts& counts = report.kinds["training"][file.stem()];
        ++counts.cases;
        std::string problem;
        try {
            Run run(file, file.cases()[index].as_object(), digits_file(file, report.options));
            if (!run.missing().empty()) {
                ++counts.unsupported;
                continue;
            }
            problem = run.go();
        } catch (const std::exception& e) {
            problem = std::string("threw: ") + e.what();
        }
        if (problem.empty()) ++counts.passed;
        else {
            ++counts.failed;
            report.failure("training/" + file.stem(), index, problem);
        }
    }
}

static const FilesIn training_files("training", run_training_file);

} // namespace replay
