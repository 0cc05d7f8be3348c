// sampler.jsonl: the indices of each replica.
#include <fstream>
#include <sstream>

#include <reel/distributed/distributed_sampler.hpp>
#include <reel/serialize/detail/json.hpp>

#include "oracle/ranks.hpp"

namespace replay {

using namespace reel;
using distributed::DistributedSampler;

namespace {

DistributedSampler sampler_of(const json::object& data, std::int64_t rank) {
    const auto flag = [&](const char* name, bool otherwise) {
        const json::value* const v = data.if_contains(name);
        return v ? v->as_bool() : otherwise;
    };
    const auto number = [&](const char* name) {
        const json::value* const v = data.if_contains(name);
        return v ? v->to_number<std::int64_t>() : 0;
    };
    DistributedSampler sampler(number("length"), number("replicas"), rank, flag("shuffle", true),
                               std::uint64_t(number("seed")), flag("drop_last", false));
    sampler.set_epoch(std::size_t(number("epoch")));
    return sampler;
}
std::string compare(const json::object& data, std::int64_t rank) {
    DistributedSampler sampler = sampler_of(data, rank);
    const json::array& indices = data.at("indices").as_array().at(std::size_t(rank)).as_array();
    const auto length = data.at("lengths").as_array().at(std::size_t(rank)).to_number<std::int64_t>();
    if (sampler.size() != length) return str("rank ", rank, " has length ", sampler.size(), ", expected ", length);
    std::vector<std::int64_t> expected, handed_out;
    for (const json::value& i : indices) expected.push_back(i.to_number<std::int64_t>());
    if (sampler.indices() != expected) return str("rank ", rank, " has other indices");
    sampler.reset();
    while (const auto some = sampler.next(3)) handed_out.insert(handed_out.end(), some->begin(), some->end());
    return handed_out == expected ? "" : str("rank ", rank, " hands out other indices than it has");
}
std::string run_case(const json::object& data) {
    if (const json::value* const kind = data.if_contains("err")) try {
            sampler_of(data, data.at("rank").to_number<std::int64_t>());
            return "was not refused";
        } catch (const ValueError&) {
            return kind->as_string() == "ValueError" ? "" : "is refused with a ValueError";
        }
    for (std::size_t r = 0; r < data.at("indices").as_array().size(); ++r)
        if (std::string d = compare(data, std::int64_t(r)); !d.empty()) return d;
    return {};
}

void run_samplers(const std::filesystem::path& folder, Ranks& ranks, Report& report) {
    std::ifstream file(folder / "sampler.jsonl");
    if (!ranks.reports()) return; // no rank asks another
    std::string line;
    for (std::size_t index = 0; std::getline(file, line); ++index) {
        Counts& counts = report.kinds["sampler"]["sampler"];
        ++counts.cases;
        std::string difference;
        try {
            difference = run_case(serialize::parse_json(line).as_object());
        } catch (const std::exception& e) {
            difference = e.what();
        }
        ++(difference.empty() ? counts.passed : counts.failed);
        if (!difference.empty()) report.failure("distributed/sampler", index, difference);
    }
}
const RankCases samplers("sampler", run_samplers);

} // namespace
} // namespace replay
