#include "records.hpp"

#include <cstdio>
#include <numeric>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/distributed/collectives.hpp>
#include <reel/distributed/session.hpp>

#include "../rl/common/charts.hpp"
#include "../rl/common/report.hpp"

namespace ranks {

using namespace reel;

namespace {
double bytes(const Tensor& t) { return t.defined() ? double(t.numel()) * double(t.element_size()) : 0; }
std::string kib(double bytes) {
    char text[32];
    std::snprintf(text, sizeof text, "%.0f KiB", bytes / 1024);
    return text;
}
/// Of all steps but the first, which takes what there is to set up.
double mean(const std::vector<double>& values) {
    if (values.size() < 2) return values.empty() ? 0 : values[0];
    return std::accumulate(values.begin() + 1, values.end(), 0.0) / double(values.size() - 1);
}
std::string milliseconds(double seconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f ms", 1000 * seconds);
    return text;
}
} // namespace

void note_memory(Record& record, Task& task) {
    record.parameter_bytes = record.gradient_bytes = record.state_bytes = 0;
    for (const Tensor& p : task.module().parameters()) {
        record.parameter_bytes += bytes(p);
        record.gradient_bytes += bytes(p.mutable_grad());
    }
    for (const auto& [_, state] : task.optimizer().state())
        for (const auto& [name, value] : state->to_dict())
            if (value.isTensor()) record.state_bytes += bytes(value.toTensor());
}
std::vector<Record> gathered(const Record& own) {
    std::vector<double> row = {own.parameter_bytes, own.gradient_bytes, own.state_bytes};
    row.insert(row.end(), own.losses.begin(), own.losses.end());
    row.insert(row.end(), own.seconds.begin(), own.seconds.end());
    const Tensor mine = tensor(row, kDouble).unsqueeze(0);
    const Tensor all = zeros({distributed::world_size(), mine.size(1)}, kDouble);
    distributed::all_gather_into(all, mine);
    std::vector<Record> records;
    for (std::int64_t r = 0; r < all.size(0); ++r) {
        const double* at = all.select(0, r).const_data_ptr<double>();
        const std::size_t steps = own.losses.size();
        records.push_back({{at + 3, at + 3 + steps}, {at + 3 + steps, at + 3 + 2 * steps}, at[0], at[1], at[2]});
    }
    return records;
}

void write_report(const std::string& path, Task& task, std::int64_t first_step, const std::vector<Record>& records,
                  const std::pair<std::string, std::string>& verdict) {
    agents::Report report(task.title() + " on " + std::to_string(records.size()) + " ranks", task.explanation());
    const auto steps = std::int64_t(records[0].losses.size());
    std::vector<std::pair<std::string, std::string>> facts = {{std::to_string(records.size()), "ranks"},
                                                              {std::to_string(first_step + steps), "steps"},
                                                              {milliseconds(mean(records[0].seconds)), "a step takes"}};
    const bool figure = verdict.first.size() < 12;
    if (figure) facts.push_back(verdict);
    report.facts(facts);
    if (!figure) report.section("What it learned", "'" + verdict.first + "' " + verdict.second + ".");
    const auto curves = [&](const std::vector<double> Record::*values, double times, std::int64_t from = 0) {
        std::vector<agents::ChartCurve> all;
        for (std::size_t r = 0; r < records.size(); ++r) {
            agents::Points points;
            for (std::int64_t i = from; i < steps; ++i)
                points.emplace_back(double(first_step + i), times * (records[r].*values)[std::size_t(i)]);
            all.push_back({"rank " + std::to_string(r), std::move(points)});
        }
        return all;
    };
    report.section("The ranks side by side",
                   "Each rank's loss is that of its own batch; what they step by is the mean.");
    report.cards({agents::line_chart("loss", curves(&Record::losses, 1), {.x_label = "step"}),
                  agents::line_chart("milliseconds of a step, the first one left out",
                                     curves(&Record::seconds, 1000, steps > 1), {.x_label = "step"})});
    report.section("What each rank holds");
    std::vector<std::vector<std::string>> table = {
        {"", "parameters", "gradients", "optimizer's state", "last loss", "a step"}};
    for (std::size_t r = 0; r < records.size(); ++r) {
        char loss[32];
        std::snprintf(loss, sizeof loss, "%.4f", records[r].losses.empty() ? 0 : records[r].losses.back());
        table.push_back({"rank " + std::to_string(r), kib(records[r].parameter_bytes), kib(records[r].gradient_bytes),
                         kib(records[r].state_bytes), loss, milliseconds(mean(records[r].seconds))});
    }
    report.table(table);
    report.write(path);
}

} // namespace ranks
