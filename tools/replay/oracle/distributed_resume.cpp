// faults.json, `resume`: a run that goes on from its checkpoint with other numbers of ranks.
#include <cmath>
#include <fstream>
#include <sstream>

#include <stdlib.h>

#include <reel/autograd/ops.hpp>
#include <reel/distributed/checkpoint.hpp>
#include <reel/distributed/collectives.hpp>
#include <reel/distributed/fully_shard.hpp>
#include <reel/distributed/zero_redundancy_optimizer.hpp>
#include <reel/nn.hpp>
#include <reel/optim.hpp>

#include "oracle/ranks.hpp"

namespace replay {

using namespace reel;
namespace dist = reel::distributed;

namespace {

/// How the state is spread over the ranks.
enum class Spread { nothing, optimizer, everything };

class ResumedRun {
public:
    ResumedRun(const json::object& data, Spread spread, std::string folder)
        : data_(data), spread_(spread), folder_(std::move(folder)) {}
    /// What one rank of the world does; a difference from the reference, or nothing.
    std::string run() const {
        for (const json::value& part : data_.at("worlds").as_array()) {
            const auto at = [&](std::size_t i) { return part.as_array().at(i).to_number<std::int64_t>(); };
            std::vector<std::int64_t> members;
            for (std::int64_t r = 0; r < at(0); ++r) members.push_back(r);
            const dist::ProcessGroup group = dist::new_group(members);
            const bool last = &part == &data_.at("worlds").as_array().back();
            if (group)
                if (std::string d = run_part(group, at(1), at(2), last); !d.empty()) return d;
            dist::barrier();
        }
        return {};
    }

private:
    nn::Sequential start() const {
        nn::Sequential net{nn::Linear(6, 10), nn::Tanh(), nn::Linear(10, 3)};
        net->to(kDouble);
        const NoGradGuard no_grad;
        for (const auto& item : net->named_parameters())
            item.value().copy_(nested(data_.at("start").as_object().at(item.key())));
        return net;
    }
    /// A tensor written as nested lists.
    static Tensor nested(const json::value& v) {
        if (!v.is_array()) return reel::full({}, v.to_number<double>(), kDouble);
        std::vector<Tensor> parts;
        for (const json::value& e : v.as_array()) parts.push_back(nested(e));
        return reel::stack(parts);
    }
    std::unique_ptr<optim::Optimizer> optimizer(nn::Sequential& net, const dist::ProcessGroup& group) const {
        const double lr = data_.at("lr").to_number<double>();
        if (data_.at("optimizer").as_string() != "Adam")
            throw std::runtime_error("resume: another optimizer than Adam");
        if (spread_ != Spread::optimizer)
            return std::make_unique<optim::Adam>(net->parameters(), optim::AdamOptions(lr));
        return std::make_unique<dist::ZeroRedundancyOptimizer<optim::Adam>>(net->parameters(), group,
                                                                            optim::AdamOptions(lr));
    }
    double step(nn::Sequential& net, optim::Optimizer& adam, const dist::ProcessGroup& group, std::int64_t t) const {
        const json::array& batch = data_.at("batches").as_array().at(std::size_t(t)).as_array();
        const Tensor input = nested(batch.at(0)), target = nested(batch.at(1));
        const std::int64_t rows = input.size(0) / group.size(), first = rows * group.rank();
        adam.zero_grad();
        const Tensor loss = nn::functional::mse_loss(net(input.narrow(0, first, rows)), target.narrow(0, first, rows));
        loss.backward();
        if (spread_ != Spread::everything)
            for (const Tensor& p : net->parameters()) {
                p.mutable_grad().div_(group.size());
                dist::all_reduce(p.mutable_grad(), dist::kSum, group);
            }
        adam.step();
        const Tensor mean = loss.detach().clone();
        dist::all_reduce(mean, dist::kAvg, group);
        return mean.item<double>();
    }
    std::string run_part(const dist::ProcessGroup& group, std::int64_t begin, std::int64_t end, bool last) const {
        nn::Sequential net = start();
        if (spread_ == Spread::everything) dist::fully_shard(net, {.group = group});
        const auto adam = optimizer(net, group);
        dist::checkpoint::State state;
        state.add("model", net).add("optimizer", *adam);
        if (begin > 0) dist::checkpoint::load(state, folder_, {.group = group});
        for (std::int64_t t = begin; t < end; ++t) {
            const double expected = data_.at("loss").as_array().at(std::size_t(t)).to_number<double>();
            const double loss = step(net, *adam, group, t);
            if (!(std::abs(loss - expected) <= 1e-15 * std::max(1.0, std::abs(expected))))
                return str("the loss of step ", t, " is ", loss, ", expected ", expected, " (", loss - expected, ")");
        }
        if (!last) dist::checkpoint::save(state, folder_, {.group = group});
        for (const auto& item : net->named_parameters()) {
            const Tensor whole = dist::full_tensor(item.value());
            const double off =
                last ? (whole - nested(data_.at("end").as_object().at(item.key()))).abs().max().item<double>() : 0;
            if (!(off <= 1e-12)) return str(item.key(), " is ", off, " off in the end");
        }
        return {};
    }
    const json::object& data_;
    Spread spread_;
    std::string folder_;
};

/// One folder for all ranks: rank 0 makes it.
std::string shared_folder(std::int64_t rank) {
    const Tensor name = reel::zeros({64}, kByte);
    if (rank == 0) {
        char text[64] = "/tmp/reel-resume-XXXXXX";
        if (!::mkdtemp(text)) throw std::runtime_error("cannot make a folder in /tmp");
        std::copy(text, text + sizeof text, name.mutable_data_ptr<std::uint8_t>());
    }
    dist::broadcast(name, 0);
    return reinterpret_cast<const char*>(name.const_data_ptr<std::uint8_t>());
}

void run_resume(const std::filesystem::path& folder, Ranks& ranks, Report& report) {
    std::ifstream file(folder / "faults.json");
    if (!file) return;
    std::stringstream text;
    text << file.rdbuf();
    const json::value all = parse_python_json(text.str());
    const json::value* const data = all.as_object().if_contains("resume");
    if (!data) return;
    std::int64_t most = 0;
    for (const json::value& part : data->as_object().at("worlds").as_array())
        most = std::max(most, part.as_array().at(0).to_number<std::int64_t>());
    if (most > ranks.size()) return;
    std::string difference;
    for (const Spread spread : {Spread::nothing, Spread::optimizer, Spread::everything}) {
        const auto outcomes = ranks.run([&](std::int64_t rank) {
            const std::string place = shared_folder(rank);
            const std::string d = ResumedRun(data->as_object(), spread, place).run();
            dist::barrier();
            if (rank == 0) std::filesystem::remove_all(place);
            if (!d.empty()) throw std::runtime_error(d);
        });
        for (std::size_t r = 0; r < outcomes.size(); ++r)
            if (!outcomes[r].empty() && difference.empty()) difference = str("rank ", r, ": ", outcomes[r]);
    }
    Counts& counts = report.kinds["faults"]["resume"];
    ++counts.cases;
    ++(difference.empty() ? counts.passed : counts.failed);
    if (!difference.empty() && ranks.reports()) report.failure("distributed/resume", 0, difference);
}
const RankCases resume("resume", run_resume);

} // namespace
} // namespace replay
